/* Meshes, textures and included models that a repository has not fetched: MuJoCo takes the pointer for a damaged file,
 * so that where it does not read a model, what file="..." names is looked at, in the model's folder and in those of
 * meshdir="...", texturedir="..." and their like. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/import/mujoco/mujoco.h"
#include "problems/io/regular_file.h"

enum { LONGEST = 512 };

/* The next value of an attribute whose name ends so, behind `text`; NULL: there is none. */
static const char *next_value(const char *text, const char *ending, char *value)
{
    while ((text = strstr(text, ending))) {
        text += strlen(ending);
        text += strspn(text, " \t\r\n");
        if (*text != '=')
            continue;
        text += 1 + strspn(text + 1, " \t\r\n");
        const char quote = *text, *end = quote == '"' || quote == '\'' ? strchr(text + 1, quote) : NULL;
        if (!end || end - text > LONGEST)
            continue;
        snprintf(value, LONGEST, "%.*s", (int)(end - text - 1), text + 1);
        return end;
    }
    return NULL;
}

/* A file as it is named in a folder of the model's, and without the folders in its name, as strippath has it. */
static enum nb_status check_in(const char *model, const char *folder, const char *file, struct nb_error *error)
{
    char path[3 * LONGEST];
    const char *slash = strrchr(model, '/'), *bare = strrchr(file, '/');
    const int length = *folder == '/' || *file == '/' || !slash ? 0 : (int)(slash - model + 1);
    const char *between = *folder && *file != '/' ? "/" : "";
    snprintf(path, sizeof path, "%.*s%s%s%s", length, model, *file == '/' ? "" : folder, between, file);
    const enum nb_status status = nb_check_no_pointer(path, error);
    return status || !bare || bare[1] == '\0' ? status : check_in(model, folder, bare + 1, error);
}

static enum nb_status check_file(const char *model, const char *text, const char *file, struct nb_error *error)
{
    char folder[LONGEST];
    enum nb_status status = check_in(model, "", file, error);
    while (!status && (text = next_value(text, "dir", folder)))
        status = check_in(model, folder, file, error);
    return status;
}

enum nb_status nb_mujoco_pointers(const char *model, struct nb_error *error)
{
    static const char *const names[] = {"file", "filename"};
    char file[LONGEST];
    struct nb_content content = {0};
    enum nb_status status = NB_OK;
    const char *text = nb_content_add(&content, model, NULL) ? "" : (const char *)content.bytes;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (const char *at = text; !status && (at = next_value(at, names[i], file));)
            status = check_file(model, text, file, error);
    nb_content_free(&content);
    return status;
}
