/* One cell: what holds a comma, a quote or an end of line stands in quotes, its own quotes twice. */
#include "harness/records/csv.h"

#include <string.h>

static void print_text(const char *text, FILE *stream)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; ++text) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void nb_csv_item(const cJSON *item, FILE *stream)
{
    if (cJSON_IsString(item))
        print_text(item->valuestring, stream);
    else if (cJSON_IsNumber(item))
        fprintf(stream, "%.17g", item->valuedouble);
    else if (cJSON_IsBool(item))
        fputs(cJSON_IsTrue(item) ? "true" : "false", stream);
}
