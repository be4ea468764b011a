/* Collects what made a record: version, commit and fingerprint of the build, compiler and flags, the processor from
 * /proc/cpuinfo, the card from the driver's folder, the libraries, the host with its load, and the time. */
#include "harness/records/provenance.h"

#include <H5public.h>
#include <cblas.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "build_info.h"
#include "harness/records/json.h"
#include "harness/version.h"
#include "problems/base/simd.h"
#include "problems/import/import.h"
#include "solvers/source.h"

/* Reads /proc/self/cgroup, "ID:CONTROLLERS:PATH" a line, the ID 0 and no controllers in version 2. Of each line that
 * has to do with processors it looks into the group's folder and all above it: a quota may lie on any. Inside a
 * container the path may be that of the host, of which only the last folder above, the mount itself, is to be seen. */

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

const char *nb_provenance_generator(void)
{
    return "ncpbench " NB_VERSION " (" NB_BUILD_COMMIT ")";
}

/* Copies what follows the colon in the first line that begins so; text stays if no line does. */
static void find_line(const char *path, const char *begins, char *text, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && !strncmp(line, begins, strlen(begins))) {
            line[strcspn(line, "\n")] = 0;
            snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
            break;
        }
    }
    fclose(file);
}

static void processor(char *text, size_t size)
{
    snprintf(text, size, "unknown");
    find_line("/proc/cpuinfo", "model name", text, size);
}

void nb_provenance_card(const char *folder, char *text, size_t size)
{
    char pattern[256];
    glob_t found = {0};
    snprintf(text, size, "none");
    snprintf(pattern, sizeof pattern, "%s/*/information", folder);
    if (!glob(pattern, 0, NULL, &found)) {
        snprintf(text, size, "unknown");
        find_line(found.gl_pathv[0], "Model", text, size);
    }
    globfree(&found);
}

static void hdf5_version(char *text, size_t size)
{
    snprintf(text, size, "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

/* The instructions of products and of filling the Schur complement; "none" if those of NCPBENCH_SIMD do not run. */
static const char *vector_instructions(void)
{
    enum nb_simd level;
    return nb_simd_choose(&level, NULL) ? "none" : nb_simd_name(level);
}

/* Copies the first line of a file; text stays if it cannot be read. */
static void read_line(const char *path, char *text, size_t size)
{
    char line[160];
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    if (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(text, size, "%s", line);
    }
    fclose(file);
}

/* The mean load of the last minute; -1: not known. */
static double load(void)
{
    double mean = -1;
    return getloadavg(&mean, 1) == 1 ? mean : -1;
}

static void add_host(cJSON *json)
{
    char text[160];
    struct utsname system;
    const bool known = uname(&system) == 0;
    cJSON_AddStringToObject(json, "host", known ? system.nodename : "unknown");
    snprintf(text, sizeof text, "%.60s %.80s", known ? system.sysname : "unknown", known ? system.release : "");
    cJSON_AddStringToObject(json, "kernel", text);
    snprintf(text, sizeof text, "unknown");
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof text);
    NB_JSON_ADD(json, "governor", text, "quota", nb_quota_processors(NB_QUOTA_LIST, NB_QUOTA_FOLDER),
                "memory", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), "load", load());
}

cJSON *nb_provenance(void)
{
    char text[160];
    const time_t now = time(NULL);
    struct tm utc;
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "version", NB_VERSION, "commit", NB_BUILD_COMMIT, "fingerprint", nb_source_fingerprint(),
                "compiler", NB_BUILD_COMPILER, "flags", NB_BUILD_FLAGS);
    processor(text, sizeof text);
    NB_JSON_ADD(json, "cpu", text, "simd", vector_instructions(), "blas", openblas_get_config());
    hdf5_version(text, sizeof text);
    NB_JSON_ADD(json, "hdf5", text, "cuda", NB_BUILD_CUDA);
    nb_provenance_card("/proc/driver/nvidia/gpus", text, sizeof text);
    cJSON_AddStringToObject(json, "gpu", text);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    NB_JSON_ADD(json, "date", text, "host_threads", (double)sysconf(_SC_NPROCESSORS_ONLN));
    add_host(json);
    return json;
}

cJSON *nb_provenance_now(const cJSON *provenance)
{
    cJSON *copy = cJSON_Duplicate(provenance, true);
    cJSON *now = copy ? cJSON_CreateNumber(load()) : NULL;
    if (now && !cJSON_ReplaceItemInObjectCaseSensitive(copy, "load", now))
        cJSON_Delete(now); /* what does not say its load */
    return copy;
}

static const char *const of_machine[] = {"cpu", "simd", "host_threads", "governor"};
enum { OF_MACHINE = sizeof of_machine / sizeof *of_machine };

/* A member as text, "" where it is not known. */
static const char *member_text(const cJSON *provenance, const char *name, char *text, size_t size)
{
    const cJSON *member = nb_json_member(provenance, name);
    *text = '\0';
    if (cJSON_IsNumber(member))
        snprintf(text, size, "%g", member->valuedouble);
    else if (cJSON_IsString(member) && strcmp(member->valuestring, "unknown"))
        snprintf(text, size, "%s", member->valuestring);
    return text;
}

void nb_provenance_machine(const cJSON *provenance, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < OF_MACHINE && used < size; ++i) {
        char value[160];
        if (member_text(provenance, of_machine[i], value, sizeof value)[0])
            used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", of_machine[i], value);
    }
}

const char *nb_provenance_other_machine(const cJSON *a, const cJSON *b)
{
    for (int i = 0; i < OF_MACHINE; ++i) {
        char x[160], y[160];
        member_text(a, of_machine[i], x, sizeof x);
        member_text(b, of_machine[i], y, sizeof y);
        if (x[0] && y[0] && strcmp(x, y))
            return of_machine[i];
    }
    return NULL;
}

double nb_peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : 1024.0 * (double)usage.ru_maxrss;
}

void nb_provenance_print(FILE *stream)
{
    char hdf5[32];
    hdf5_version(hdf5, sizeof hdf5);
    fprintf(stream,
            "ncpbench %s\ncommit    %s\nbuild     %s\ncompiler  %s\nflags     %s\nproducts  %s\n"
            "BLAS      %s\nHDF5      %s\nCUDA      %s\nMuJoCo    %s\n",
            NB_VERSION, NB_BUILD_COMMIT, nb_source_fingerprint(), NB_BUILD_COMPILER, NB_BUILD_FLAGS,
            vector_instructions(), openblas_get_config(), hdf5, NB_BUILD_CUDA,
            nb_import_version() ? nb_import_version() : "none");
}
