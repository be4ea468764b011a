/* Models for MuJoCo 3, brought down to 2.2.2 where that loses nothing of a step: ranges that limit by themselves get
 * what says so, and the integrator implicitfast becomes implicit, of which it is an approximation. The changed text is
 * read from memory under its own name, and so are the files that it includes, so that meshes are found as before. */
#include <stdlib.h>
#include <string.h>

#include "problems/import/mujoco/mujoco.h"
#include "problems/io/regular_file.h"

static const char addition[] = "<compiler autolimits=\"true\"/>", fast[] = "implicitfast", slow[] = "implicit";
enum { LONGEST = 512, DEEPEST = 8 /* includes in includes */ };

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

/* In place: the shorter word, its quote, and blanks in place of the rest. */
static void slow_down(char *text)
{
    enum { WORD = sizeof fast - 1, KEPT = sizeof slow - 1 };
    while ((text = strstr(text, fast))) {
        const char quote = text[WORD];
        if ((quote == '"' || quote == '\'') && text[-1] == quote) {
            text[KEPT] = quote;
            memset(text + KEPT + 1, ' ', WORD - KEPT);
        }
        text += WORD;
    }
}

/* Lays a text under the name of its file, as the changes have it; what is inserted stands at `at`, or nothing does. */
static bool lay_down(mjVFS *files, const char *path, const char *text, const char *at, unsigned changes)
{
    const char *slash = strrchr(path, '/');
    const size_t more = at ? sizeof addition - 1 : 0, before = at ? (size_t)(at - text) : strlen(text);
    const size_t length = strlen(text) + more;
    if (length >= INT32_MAX || mj_makeEmptyFileVFS(files, slash ? slash + 1 : path, (int)length))
        return false;
    char *to = files->filedata[files->nfile - 1], *changed = malloc(length + 1);
    if (!changed)
        return false;
    memcpy(changed, text, before);
    memcpy(changed + before, addition, more);
    memcpy(changed + before + more, text + before, length - before - more);
    changed[length] = '\0';
    if (changes & NB_NEWER_INTEGRATOR)
        slow_down(changed);
    memcpy(to, changed, length);
    free(changed);
    return true;
}

/* The included files that hold the word, in the model's folder; one that cannot be read is left to MuJoCo. */
static void lay_down_included(mjVFS *files, const char *model, const char *text, unsigned changes, int depth)
{
    const char *slash = strrchr(model, '/');
    char path[2 * LONGEST];
    while (depth < DEEPEST && (text = strstr(text, "<include"))) {
        text += sizeof "<include" - 1;
        const char *end = strchr(text, '>'), *file = strstr(text, "file");
        const char *from = file && end && file < end ? strpbrk(file, "\"'") : NULL;
        const char *to = from ? strchr(from + 1, *from) : NULL;
        struct nb_content content = {0};
        struct nb_error ignored;
        if (!to || to - from > LONGEST || (slash && slash - model >= LONGEST))
            continue;
        snprintf(path, sizeof path, "%.*s%.*s", slash && from[1] != '/' ? (int)(slash - model + 1) : 0, model,
                 (int)(to - from - 1), from + 1);
        if (!nb_content_add(&content, path, &ignored)) {
            if (strstr((const char *)content.bytes, fast))
                lay_down(files, path, (const char *)content.bytes, NULL, changes);
            lay_down_included(files, model, (const char *)content.bytes, changes, depth + 1);
        }
        nb_content_free(&content);
    }
}

unsigned nb_mujoco_change_for(const char *reason)
{
    if (strstr(reason, "autolimits"))
        return NB_NEWER_LIMITS;
    return strstr(reason, "invalid keyword") && strstr(reason, fast) ? NB_NEWER_INTEGRATOR : 0;
}

mjModel *nb_mujoco_load_changed(const char *path, unsigned changes, char *reason, int size)
{
    struct nb_content content = {0};
    struct nb_error ignored;
    const char *text = nb_content_add(&content, path, &ignored) ? NULL : (const char *)content.bytes;
    const char *at = text && changes & NB_NEWER_LIMITS ? behind_root(text) : NULL;
    mjVFS *files = text && (at || !(changes & NB_NEWER_LIMITS)) ? malloc(sizeof *files) : NULL;
    mjModel *model = NULL;
    if (files) {
        mj_defaultVFS(files);
        if (changes & NB_NEWER_INTEGRATOR)
            lay_down_included(files, path, text, changes, 0);
        if (lay_down(files, path, text, at, changes))
            model = mj_loadXML(path, files, reason, size);
        mj_deleteVFS(files);
    }
    free(files);
    nb_content_free(&content);
    return model;
}
