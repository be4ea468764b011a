/* Copies of problem files in a folder of the node's own, for cluster file systems on which every case's reading would
 * cost. A copy is named by the file's hash; what a case reads is checked against that as ever. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/sweep/sweep_private.h"
#include "problems/io/matrix_market.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"

enum { PATH = 1024 };

enum nb_status nb_scratch_path(const char *folder, const struct nb_case *setting, char path[PATH],
                               struct nb_error *error)
{
    char companion[PATH];
    const char *name = strrchr(setting->problem_file, '/');
    const char *suffix = strrchr(name ? name : setting->problem_file, '.');
    if (nb_matrix_market_companion(setting->problem_file, companion, sizeof companion))
        suffix = ".A.mtx";
    const int length = snprintf(path, PATH, "%s/%s%s", folder, setting->problem_hash, suffix ? suffix : "");
    return length < PATH ? NB_OK : nb_fail(error, NB_BAD_INPUT, "--scratch: the folder's name is too long");
}

static enum nb_status copy_file(const char *from, const char *to, struct nb_error *error)
{
    struct nb_content content = {0};
    enum nb_status status = nb_content_add(&content, from, error);
    if (!status)
        status = nb_replace_file(to, content.bytes, content.size, error);
    nb_content_free(&content);
    return status;
}

/* With its right-hand side, where it has one beside it. */
static enum nb_status copy_problem(const char *folder, const struct nb_case *setting, struct nb_error *error)
{
    char path[PATH], right_side[PATH], companion[PATH];
    enum nb_status status = nb_scratch_path(folder, setting, path, error);
    if (status || !access(path, F_OK))
        return status;
    if (nb_matrix_market_companion(setting->problem_file, right_side, sizeof right_side)) {
        snprintf(companion, sizeof companion, "%.*s.b.mtx", (int)(strlen(path) - strlen(".A.mtx")), path);
        status = copy_file(right_side, companion, error);
    }
    return status ? status : copy_file(setting->problem_file, path, error);
}

enum nb_status nb_scratch_fill(const char *folder, const struct nb_plan *plan, struct nb_error *error)
{
    const struct nb_case *last = NULL;
    enum nb_status status = NB_OK;
    for (int i = 0; i < plan->count && !status; ++i) {
        const struct nb_case *setting = &plan->task[i].setting;
        if (plan->task[i].complete || (last && !strcmp(last->problem_hash, setting->problem_hash)))
            continue;
        status = copy_problem(folder, setting, error);
        last = setting;
    }
    return status;
}
