/* Models for MuJoCo 3, whose ranges limit by themselves: the model's text gets what says so to 2.2.2, and is read from
 * memory under its own name, so that its meshes and included files are found as before. */
#include <stdlib.h>
#include <string.h>

#include "problems/import/mujoco/mujoco.h"
#include "problems/io/regular_file.h"

static const char addition[] = "<compiler autolimits=\"true\"/>";

/* Behind the root's first tag, which may stand behind comments; NULL: there is none. */
static const char *behind_root(const char *text)
{
    const char *root = strstr(text, "<mujoco"), *comment;
    while (root && (comment = strstr(text, "<!--")) && comment < root) {
        text = strstr(comment, "-->");
        if (!text)
            return NULL;
        root = strstr(text, "<mujoco");
    }
    const char *end = root ? strchr(root, '>') : NULL;
    return end && end[-1] != '/' ? end + 1 : NULL;
}

mjModel *nb_mujoco_load_autolimits(const char *path, char *reason, int size)
{
    struct nb_content content = {0};
    struct nb_error ignored;
    const char *text = nb_content_add(&content, path, &ignored) ? NULL : (const char *)content.bytes;
    const char *at = text ? behind_root(text) : NULL, *slash = strrchr(path, '/');
    const size_t length = at ? strlen(text) + sizeof addition - 1 : 0;
    mjVFS *files = at ? malloc(sizeof *files) : NULL;
    mjModel *model = NULL;
    if (files && length < INT32_MAX) {
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, slash ? slash + 1 : path, (int)length) == 0) {
            char *to = files->filedata[0];
            memcpy(to, text, (size_t)(at - text));
            memcpy(to + (at - text), addition, sizeof addition - 1);
            memcpy(to + (at - text) + sizeof addition - 1, at, strlen(at));
            model = mj_loadXML(path, files, reason, size);
        }
        mj_deleteVFS(files);
    }
    free(files);
    nb_content_free(&content);
    return model;
}
