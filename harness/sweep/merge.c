/* Reads the parts once, to choose of each key its record and note where it stands; then copies the lines chosen, in the
 * order of the plan, to a new file that takes the place of the old one when it is whole. The old one is locked
 * meanwhile, as by a sweep. */
#include "harness/sweep/merge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/records/compressed.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/shard.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/numbers.h"
#include "problems/base/sorted.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"

/* The place of a record, and what decides whether it stays. */
struct line {
    int file;         /* in the order of reading */
    long offset;
    size_t length;
    int place;        /* of its task in the plan; behind them all: of none */
    int kind;         /* of build and machine */
    bool timed;       /* a case's; floors have no times */
    bool final;       /* need not be tried again */
    bool marked;      /* by an earlier merge */
    bool usable;      /* of a task, by its strategies as they are now */
    char date[24];
};

struct merge {
    const struct nb_merge_request *request;
    struct nb_plan plan;
    const char **file;    /* [files] the results, then the parts */
    int files, now;       /* the one that is read */
    FILE **plain;         /* [files] of those that are compressed, what they hold */
    struct nb_store_lock lock; /* of the results */
    struct nb_store_reading reading;
    struct nb_index keys, kinds;
    struct line *line;
    cJSON **kind;         /* [kind_count] a provenance of each build and kind of machine */
    int lines, line_room, kind_count, kind_room;
    int doubles;
    const struct line *first; /* of a case, where there is one: the others are to be of its kind */
};

static bool wanted(void *context, const char *outer, const char *inner)
{
    static const char *const members[] = {"kind", "key", "strategies", "ending", "detail", "retry", "mixed",
                                          "provenance", NULL};
    (void)context;
    (void)inner;
    return nb_is_one_of(outer, members);
}

/* The number of the record's build and machine, -1 where memory is short. */
static int kind_of(struct merge *merge, const cJSON *provenance)
{
    char machine[NB_MACHINE], text[NB_MACHINE + NB_SHORT_HASH_SIZE + 1];
    nb_provenance_machine(provenance, machine, sizeof machine);
    snprintf(text, sizeof text, "%.16s %s", nb_json_string(provenance, "fingerprint"), machine);
    const int number = nb_index_entry(&merge->kinds, text, &merge->kind, sizeof *merge->kind, &merge->kind_count,
                                      &merge->kind_room);
    if (number >= 0 && !merge->kind[number])
        merge->kind[number] = cJSON_Duplicate(provenance, true);
    return number >= 0 && merge->kind[number] ? number : -1;
}

/* The rule for doubles; b was read after a. */
static bool replaces(const struct line *b, const struct line *a)
{
    return b->final != a->final ? b->final : strcmp(b->date, a->date) >= 0;
}

static enum nb_status keep(struct merge *merge, const char *name, const struct line *line, struct nb_error *error)
{
    const int before = merge->lines;
    const int number = nb_index_entry(&merge->keys, name, &merge->line, sizeof *merge->line, &merge->lines,
                                      &merge->line_room);
    if (number < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d records", before + 1);
    const bool again = number < before;
    merge->doubles += again && line->file > 0 && merge->line[number].file > 0;
    if (!again || replaces(line, &merge->line[number]))
        merge->line[number] = *line;
    return NB_OK;
}

static enum nb_status take_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct merge *merge = context;
    const char *kind = nb_json_string(record, "kind"), *key = nb_json_string(record, "key");
    const cJSON *provenance = nb_json_member(record, "provenance");
    char name[NB_KEY_SIZE + 8];
    const bool is_floor = !strcmp(kind, "floor");
    if ((!is_floor && strcmp(kind, "case")) || !*key)
        return nb_fail(error, NB_BAD_INPUT, "%s: a record of kind '%.20s'; merge joins what sweeps record, cases "
                       "and floors with their keys", merge->file[merge->now], kind);
    const struct nb_task *task = nb_plan_find(&merge->plan, key);
    task = task && task->is_floor == is_floor ? task : NULL;
    struct line line = {merge->now, merge->reading.offset, merge->reading.length,
                        task ? (int)(task - merge->plan.task) : merge->plan.count,
                        kind_of(merge, provenance), !is_floor, !nb_reuse_may_run_now(record),
                        cJSON_HasObjectItem(record, "mixed"),
                        task && nb_task_same_strategies(task, record), ""};
    if (line.kind < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the kinds of machines");
    snprintf(line.date, sizeof line.date, "%s", nb_json_string(provenance, "date"));
    snprintf(name, sizeof name, "%c%.16s", *kind, key);
    return keep(merge, name, &line, error);
}

static enum nb_status read_parts(struct merge *merge, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    merge->reading.wanted = wanted;
    for (merge->now = 0; merge->now < merge->files && !status; ++merge->now) {
        const char *path = merge->file[merge->now];
        if (!access(path, F_OK))
            status = nb_store_read_parts(path, take_record, merge, &merge->reading, error);
        else if (merge->now > 0)
            fprintf(stderr, "%s: is not there\n", path);
    }
    return status;
}

/* In what a record's kind differs from that of the first case; NULL: in nothing. */
static const char *difference(const struct merge *merge, const struct line *line)
{
    const cJSON *first = merge->kind[merge->first->kind], *other = merge->kind[line->kind];
    const bool build = strcmp(nb_json_string(first, "fingerprint"), nb_json_string(other, "fingerprint"));
    const bool machine = line->timed && nb_provenance_other_machine(first, other);
    return build ? machine ? "build, machine" : "build" : machine ? "machine" : NULL;
}

static enum nb_status check_kinds(const struct merge *merge, struct nb_error *error)
{
    for (int i = 0; i < merge->lines && !merge->request->mixed; ++i) {
        const struct line *line = &merge->line[i], *first = merge->first;
        const char *what = difference(merge, line);
        if (!what)
            continue;
        return nb_fail(error, NB_BAD_INPUT, "%s: has records of another %s than %s (%s in their provenance); "
                       "--mixed joins them, and marks those that differ", merge->file[line->file],
                       *what == 'b' ? "build" : "kind of machine", merge->file[first->file],
                       *what == 'b' ? "fingerprint"
                                    : nb_provenance_other_machine(merge->kind[first->kind], merge->kind[line->kind]));
    }
    return NB_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->place != y->place)
        return (x->place > y->place) - (x->place < y->place);
    if (x->file != y->file)
        return (x->file > y->file) - (x->file < y->file);
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The file of a line, which stays open where it had to be uncompressed; else *in, where that is not its already. */
static enum nb_status open_file(struct merge *merge, int number, FILE **in, int *opened, FILE **source,
                                struct nb_error *error)
{
    enum nb_status status = NB_OK;
    if (!merge->plain[number] && *opened != number) {
        if (*in)
            fclose(*in);
        *in = NULL;
        FILE *file;
        bool temporary;
        status = nb_open_seekable(merge->file[number], &file, &temporary, error);
        *(temporary ? &merge->plain[number] : in) = file;
        *opened = temporary ? -1 : number;
    }
    *source = merge->plain[number] ? merge->plain[number] : *in;
    return status;
}

/* *in: the file of the last line; its successors are mostly of the same. */
static enum nb_status copy_line(struct merge *merge, const struct line *line, FILE **in, int *opened, FILE *out,
                                struct nb_error *error)
{
    const char *path = merge->file[line->file], *mixed = difference(merge, line);
    FILE *source;
    const enum nb_status status = open_file(merge, line->file, in, opened, &source, error);
    if (status)
        return status;
    char *text = malloc(line->length + 1);
    if (!text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a record");
    const bool whole = !fseek(source, line->offset, SEEK_SET) && fread(text, 1, line->length, source) == line->length;
    const char *begin = whole ? memchr(text, '{', line->length) : NULL;
    if (begin && mixed && !line->marked)
        fprintf(out, "{\"mixed\":\"%s\",%.*s\n", mixed, (int)(line->length - (size_t)(begin + 1 - text)), begin + 1);
    else if (begin)
        fprintf(out, "%.*s\n", (int)line->length, text);
    free(text);
    return begin ? NB_OK : nb_fail(error, NB_BAD_FILE, "%s: changed while it was merged", path);
}

static enum nb_status copy_lines(struct merge *merge, FILE *out, struct nb_error *error)
{
    FILE *in = NULL;
    int opened = -1;
    enum nb_status status = NB_OK;
    for (int i = 0; i < merge->lines && !status; ++i)
        status = copy_line(merge, &merge->line[i], &in, &opened, out, error);
    if (in)
        fclose(in);
    return status;
}

static enum nb_status write_results(struct merge *merge, struct nb_error *error)
{
    struct nb_new_file file;
    enum nb_status status = nb_new_file_begin(&file, merge->request->results, error);
    status = status ? status : copy_lines(merge, file.stream, error);
    return nb_new_file_end(&file, status, error);
}

static void sort_lines(struct merge *merge)
{
    nb_sort(merge->line, merge->lines, sizeof *merge->line, by_place);
    merge->first = merge->line;
    for (int i = merge->lines - 1; i >= 0; --i)
        if (merge->line[i].timed)
            merge->first = &merge->line[i];
}

/* "--array=1,4-6" of the shards [shards + 1] that are set. */
static void print_array(const bool *shard, int shards, FILE *out)
{
    const char *before = "--array=";
    for (int first = 1, last; first <= shards; first = last + 1) {
        last = first;
        if (!shard[first])
            continue;
        while (last < shards && shard[last + 1])
            ++last;
        fprintf(out, last > first ? "%s%d-%d" : "%s%d", before, first, last);
        before = ",";
    }
    fprintf(out, "\n");
}

static void print_missing(const struct merge *merge, const bool *there, int *missing)
{
    const struct nb_plan *plan = &merge->plan;
    const int shards = plan->shards.count;
    FILE *out = merge->request->out;
    int cases = 0, listed = 0;
    bool *shard = calloc((size_t)shards + 1, sizeof *shard);
    char label[160];
    for (int i = 0; i < plan->count; ++i) {
        if (there[i])
            continue;
        ++*missing;
        cases += i >= plan->floors;
        if (shard)
            shard[plan->task[i].setting.shard] = true;
    }
    if (!*missing || !shard) {
        free(shard);
        return;
    }
    fprintf(out, "missing: %d cases, %d accuracy floors%s\n", cases, *missing - cases,
            shards ? "; in a job array, or by `sweep --shard`, these shards have them:"
                   : "; the number of shards (--shards) tells which of them; the first cases:");
    for (int i = plan->floors; i < plan->count && !shards && listed < 5; ++i) {
        if (there[i])
            continue;
        nb_case_label(&plan->task[i].setting, label, sizeof label);
        fprintf(out, "  %s\n", label);
        ++listed;
    }
    if (shards)
        print_array(shard, shards, out);
    free(shard);
}

static enum nb_status print_coverage(const struct merge *merge, const char *name, int *missing, struct nb_error *error)
{
    const struct nb_plan *plan = &merge->plan;
    FILE *out = merge->request->out;
    int others = 0, mixed = 0;
    bool *there = calloc((size_t)plan->count + 1, sizeof *there);
    if (!there)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", plan->count);
    for (int i = 0; i < merge->lines; ++i) {
        others += merge->line[i].place == plan->count;
        mixed += difference(merge, &merge->line[i]) != NULL;
        there[merge->line[i].place] |= merge->line[i].usable;
    }
    fprintf(out, "%s: %d cases, %d accuracy floors; %d records in %s, %d doubles left out", name,
            plan->count - plan->floors, plan->floors, merge->lines, merge->request->results, merge->doubles);
    if (others)
        fprintf(out, "; %d are of no case of the spec", others);
    if (mixed)
        fprintf(out, "; %d are marked as of another build or kind of machine", mixed);
    fprintf(out, "\n");
    print_missing(merge, there, missing);
    free(there);
    return NB_OK;
}

/* By the parts' names, where all agree. */
static int count_shards(const struct nb_merge_request *request)
{
    const int shards = request->part_count ? nb_shard_file_count(request->part[0]) : 0;
    for (int i = 1; i < request->part_count; ++i)
        if (nb_shard_file_count(request->part[i]) != shards)
            return 0;
    return shards;
}

/* The file to write, and the parts that are other files. */
static enum nb_status list_files(struct merge *merge, struct nb_error *error)
{
    const struct nb_merge_request *request = merge->request;
    merge->file = malloc(((size_t)request->part_count + 1) * sizeof *merge->file);
    merge->plain = calloc((size_t)request->part_count + 1, sizeof *merge->plain);
    if (!merge->file || !merge->plain)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d parts", request->part_count);
    merge->file[merge->files++] = request->results;
    for (int i = 0; i < request->part_count; ++i)
        if (strcmp(request->part[i], request->results))
            merge->file[merge->files++] = request->part[i];
    return NB_OK;
}

static void free_merge(struct merge *merge)
{
    for (int i = 0; i < merge->kind_count; ++i)
        cJSON_Delete(merge->kind[i]);
    for (int i = 0; i < merge->files; ++i)
        if (merge->plain[i])
            fclose(merge->plain[i]);
    nb_store_unlock(&merge->lock);
    free(merge->kind);
    free(merge->line);
    free(merge->file);
    free(merge->plain);
    nb_index_free(&merge->keys);
    nb_index_free(&merge->kinds);
    nb_plan_free(&merge->plan);
}

enum nb_status nb_merge(const struct nb_merge_request *request, int *missing, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct merge merge = {.request = request, .lock = {.descriptor = -1}};
    struct nb_sweep_request sweep = request->sweep;
    char name[64];
    sweep.shards = sweep.shards ? sweep.shards : count_shards(request);
    sweep.shard = *missing = 0;
    enum nb_status status = nb_plan_make(&sweep, &merge.plan, name, error);
    status = status ? status : list_files(&merge, error);
    if (!status) /* what is read of the results must still be all when they are replaced */
        status = nb_store_lock(request->results, &merge.lock, error);
    status = status ? status : read_parts(&merge, error);
    if (!status)
        sort_lines(&merge);
    status = status ? status : check_kinds(&merge, error);
    status = status ? status : write_results(&merge, error);
    status = status ? status : print_coverage(&merge, name, missing, error);
    free_merge(&merge);
    return status;
}
