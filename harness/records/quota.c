/* Reads /proc/self/cgroup, "ID:CONTROLLERS:PATH" a line, the ID 0 and no controllers in version 2. Of each line that
 * has to do with processors it looks into the group's folder and all above it: a quota may lie on any. Inside a
 * container the path may be that of the host, of which only the last folder above, the mount itself, is to be seen. */
#include "harness/records/quota.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 1024 };

struct quota {
    double processors, throttled; /* NaN: not known */
};

/* The number behind a name, as in "throttled_usec 17"; NaN: none. */
static double find_number(const char *folder, const char *file, const char *name)
{
    char path[PATH + 32], line[128];
    double number = NAN;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "r");
    while (stream && isnan(number) && fgets(line, sizeof line, stream)) {
        const size_t length = strlen(name);
        if (!strncmp(line, name, length) && sscanf(line + length, "%lf", &number) != 1)
            number = NAN;
    }
    if (stream)
        fclose(stream);
    return number;
}

static void look_into(const char *folder, struct quota *quota)
{
    char path[PATH + 32];
    double allowed = NAN, period = NAN;
    const double microseconds = find_number(folder, "cpu.stat", "throttled_usec ");
    const double nanoseconds = find_number(folder, "cpu.stat", "throttled_time ");
    const double seconds = isnan(microseconds) ? 1e-9 * nanoseconds : 1e-6 * microseconds;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *stream = fopen(path, "r");
    if (!stream || fscanf(stream, "%lf %lf", &allowed, &period) != 2) { /* "max 100000": none */
        allowed = find_number(folder, "cpu.cfs_quota_us", "");
        period = find_number(folder, "cpu.cfs_period_us", "");
    }
    if (stream)
        fclose(stream);
    if (allowed > 0 && period > 0)
        quota->processors = fmin(quota->processors, allowed / period);
    if (!isnan(seconds))
        quota->throttled = (isnan(quota->throttled) ? 0 : quota->throttled) + seconds;
}

/* The folder of a group and those above it, down to the mount. */
static void look_up(const char *mount, const char *group, struct quota *quota)
{
    char path[PATH];
    const int length = snprintf(path, sizeof path, "%s%s", mount, group);
    const size_t least = strlen(mount);
    if (length < 0 || length >= PATH)
        return;
    for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) >= least; *slash = '\0')
        if (slash[1])
            look_into(path, quota);
    look_into(mount, quota);
}

/* Whether a list as "cpu,cpuacct" has the word. */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && !strncmp(list, word, length))
            return true;
    return false;
}

static struct quota read_quota(const char *list, const char *folder)
{
    struct quota quota = {NAN, NAN};
    char line[PATH], mount[PATH];
    FILE *stream = fopen(list, "r");
    while (stream && fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        const bool unified = !controllers[1];
        if (!unified && !has_word(controllers + 1, "cpu"))
            continue;
        snprintf(mount, sizeof mount, "%s%s%.500s", folder, unified ? "" : "/", controllers + 1);
        look_up(mount, group, &quota);
    }
    if (stream)
        fclose(stream);
    return quota;
}

double nb_quota_processors(const char *list, const char *folder) { return read_quota(list, folder).processors; }

double nb_quota_throttled(const char *list, const char *folder) { return read_quota(list, folder).throttled; }
