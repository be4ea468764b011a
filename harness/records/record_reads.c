#include "harness/records/record_reads.h"

#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "solvers/registry.h"

/* The part of the method that a name of harness/records/record.h speaks about. */
static const char *part_of(const char *name)
{
    return strcmp(name, "linear_method") ? name : "linear";
}

bool nb_record_reads(const cJSON *record, const char *name)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *part = part_of(name);
    const struct nb_case_setting *row = nb_case_setting_find(part);
    if (!row || !row->option.of_newton)
        return true;
    if (nb_registry_self_contained(nb_json_string(settings, "solver")) ||
        cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(settings, part)))
        return false;
    const char *linear = nb_json_string(settings, "linear");
    return strcmp(part, "precond") || !nb_registry_find("linear", linear) ||
           nb_registry_uses_precond(linear);
}
