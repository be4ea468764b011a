/* Hands inih a file line by line: each is counted and looked at before, so that sections and keys come with their line
 * and nothing is truncated (harness/records/ini.h). */
#include "harness/records/ini.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "problems/io/regular_file.h"

int nb_ini_refuse(struct nb_ini *ini, int line, enum nb_status status, const char *text)
{
    if (!ini->status)
        ini->status = nb_fail(ini->error, status, "%s:%d: %s", ini->path, line, text);
    return 0;
}

/* The line's status is left where something is wrong with it. */
static void look_at_line(struct nb_ini *ini, const char *line, bool whole)
{
    char title[NB_INI_TITLE + 1], text[96];
    const char *start = line + strspn(line, " \t");
    ini->continues = start > line;
    if (!whole && strlen(line) <= NB_INI_LINE) {
        nb_ini_refuse(ini, ini->line, NB_BAD_INPUT, "a NUL byte: this is a binary file");
        return;
    }
    if (!whole || strcspn(line, "\n") > NB_INI_LINE) {
        snprintf(text, sizeof text, "longer than %d characters; continue on an indented line", NB_INI_LINE);
        nb_ini_refuse(ini, ini->line, NB_BAD_INPUT, text);
        return;
    }
    for (const char *at = line; *at; ++at)
        if (iscntrl((unsigned char)*at) && !isspace((unsigned char)*at)) {
            nb_ini_refuse(ini, ini->line, NB_BAD_INPUT, "a control character: this is no text");
            return;
        }
    if (*start != '[')
        return;
    if (ini->continues) {
        nb_ini_refuse(ini, ini->line, NB_BAD_INPUT, "a section starts at the beginning of a line");
        return;
    }
    const size_t length = strcspn(start + 1, "]");
    if (!start[1 + length] || length > NB_INI_TITLE) {
        snprintf(text, sizeof text, "a section reads [NAME] with at most %d characters", NB_INI_TITLE);
        nb_ini_refuse(ini, ini->line, NB_BAD_INPUT, text);
        return;
    }
    memcpy(title, start + 1, length);
    title[length] = 0;
    ini->section(ini, title);
}

static char *next_line(char *line, int size, void *context)
{
    struct nb_ini *ini = context;
    if (ini->status || !fgets(line, size, ini->file))
        return NULL;
    static const char mark[] = "\xEF\xBB\xBF"; /* UTF-8's byte order mark, of some editors */
    if (ini->line++ == 0 && !strncmp(line, mark, 3))
        memmove(line, line + 3, strlen(line + 3) + 1);
    const size_t length = strlen(line);
    look_at_line(ini, line, length && (line[length - 1] == '\n' || feof(ini->file)));
    return ini->status ? NULL : line;
}

static int handle(void *context, const char *section, const char *key, const char *value)
{
    struct nb_ini *ini = context;
    (void)section;
    return ini->status ? 0 : ini->key(ini, key, value);
}

enum nb_status nb_ini_read(struct nb_ini *ini, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    ini->error = error;
    ini->status = nb_open_regular(ini->path, &ini->file, error);
    if (ini->status)
        return ini->status;
    const int bad_line = ini_parse_stream(next_line, ini, handle, ini);
    if (!ini->status && ferror(ini->file))
        ini->status = nb_fail(error, NB_BAD_FILE, "%s: %s", ini->path, strerror(errno));
    if (bad_line)
        nb_ini_refuse(ini, bad_line, NB_BAD_INPUT, "neither a section nor key = value");
    fclose(ini->file);
    return ini->status;
}
