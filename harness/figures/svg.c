/* Goes through the tags of an SVG file. The picture's title is the name. Behind id=, href="# and url(# comes
 * the name, then what was there; a font family is followed by others. Text between tags stays as it is. */
#include "harness/figures/svg.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"

/* Where a name begins in an attribute. */
static const char *const BEFORE_NAME[] = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
static const char TITLE[] = "<title>Gnuplot</title>";
static const char FAMILY[] = "font-family=\"", FALLBACKS[] = ", Arial Narrow, Helvetica, Arial, sans-serif";

static size_t name_begins(const char *text)
{
    for (size_t i = 0; i < sizeof BEFORE_NAME / sizeof *BEFORE_NAME; ++i)
        if (!strncmp(text, BEFORE_NAME[i], strlen(BEFORE_NAME[i])))
            return strlen(BEFORE_NAME[i]);
    return 0;
}

/* A name's characters that an id cannot have become '-'; it ends in one. */
static void put_name(const char *name, FILE *file)
{
    fputs("nb-", file);
    for (; *name; ++name)
        fputc(isalnum((unsigned char)*name) || *name == '_' ? *name : '-', file);
    fputc('-', file);
}

static void put_tags(const char *text, const char *name, FILE *file)
{
    bool inside = false;
    while (*text) {
        const size_t begun = inside ? name_begins(text) : 0;
        if (!inside && !strncmp(text, TITLE, strlen(TITLE))) {
            fprintf(file, "<title>%s</title>", name);
            text += strlen(TITLE);
        } else if (begun) {
            fwrite(text, 1, begun, file);
            put_name(name, file);
            text += begun;
        } else if (inside && !strncmp(text, FAMILY, strlen(FAMILY))) {
            const size_t length = strlen(FAMILY) + strcspn(text + strlen(FAMILY), "\"");
            fwrite(text, 1, length, file);
            fputs(FALLBACKS, file);
            text += length;
        } else {
            inside = *text == '<' || (inside && *text != '>');
            fputc(*text++, file);
        }
    }
}

enum nb_status nb_svg_finish(const char *path, const char *name, struct nb_error *error)
{
    struct nb_content content = {0};
    struct nb_new_file file = {0};
    enum nb_status status = nb_content_add(&content, path, error);
    if (!status)
        status = nb_new_file_begin(&file, path, error);
    if (!status)
        put_tags((const char *)content.bytes, name, file.stream);
    status = nb_new_file_end(&file, status, error);
    nb_content_free(&content);
    return status;
}

int nb_svg_is(const struct dirent *entry)
{
    return !fnmatch("*.svg", entry->d_name, 0);
}

enum nb_status nb_svg_print(const char *path, FILE *stream, struct nb_error *error)
{
    struct nb_content content = {0};
    enum nb_status status = nb_content_add(&content, path, error);
    const char *text = (const char *)content.bytes, *element = status ? NULL : strstr(text, "<svg");
    if (!status && (strlen(text) != content.size || !element || !strstr(text, "</svg>")))
        status = nb_fail(error, NB_BAD_FILE, "%.300s: is no SVG file", path);
    if (!status)
        fputs(element, stream);
    nb_content_free(&content);
    return status;
}
