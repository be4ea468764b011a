/* Fills a curve: all values are paired with one of them, which gives a grid of cases by values; from it the best is
 * chosen, and each other value is compared with that one. */
#include "harness/report/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/reasons.h"
#include "harness/records/record.h"
#include "problems/base/numbers.h"

/* A case at a value. */
struct cell {
    const cJSON *record; /* NULL: there is none */
    bool solved;
    double time, iterations, linear;
};

/* Rows are the cases of the value that all are paired with. */
struct grid {
    const struct nb_curve *curve;
    cJSON *records;
    int rows, room;
    const cJSON **row; /* [rows] */
    bool *system;      /* [rows] */
    struct cell *cell; /* [rows x curve->count] */
    struct nb_index known;
};

static enum nb_status no_memory(struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a curve");
}

static struct nb_option_list side_of(const struct nb_curve_value *value)
{
    struct nb_option_list list = {.count = value->sides};
    for (int i = 0; i < value->sides; ++i)
        list.item[i] = value->side[i];
    return list;
}

static enum nb_status compare(const struct grid *grid, int a, int b, struct nb_comparison_result *result,
                              struct nb_error *error)
{
    const struct nb_curve *curve = grid->curve;
    const struct nb_comparison comparison = {.a = side_of(&curve->value[a]),
                                             .b = side_of(&curve->value[b]),
                                             .across = {curve->across != NULL, {curve->across}},
                                             .tolerance = curve->tolerance};
    return nb_compare_records(&comparison, grid->records, grid->records, result, error);
}

/* Whether a record is of the value. */
static bool is_of(const struct nb_curve_value *value, const cJSON *record)
{
    char name[64], text[NB_CURVE_SIDE];
    bool is = nb_record_is_case(record);
    for (int i = 0; i < value->sides && is; ++i) {
        const size_t length = strcspn(value->side[i], "=");
        snprintf(name, sizeof name, "%.*s", (int)length, value->side[i]);
        is = !strcmp(nb_record_text(record, name, text, sizeof text), value->side[i] + length + 1);
    }
    return is;
}

static int count_cases(const struct nb_curve_value *value, const cJSON *records)
{
    int count = 0;
    for (const cJSON *record = records->child; record; record = record->next)
        count += is_of(value, record);
    return count;
}

static void fill_cell(struct grid *grid, int row, int value, const struct nb_pair *pair, int side)
{
    struct cell *cell = &grid->cell[row * grid->curve->count + value];
    cell->record = pair->record[side];
    cell->solved = pair->outcome[side].iterations > 0;
    cell->time = nb_outcome_time(&pair->outcome[side]);
    cell->iterations = pair->system ? NAN : pair->outcome[side].iterations;
    cell->linear = pair->effort[side].linear_iterations;
}

/* The row of A's record, which is added where it is new; -1: memory is short. */
static int row_of(struct grid *grid, const struct nb_pair *pair)
{
    char key[40];
    snprintf(key, sizeof key, "%p", (const void *)pair->record[NB_A]);
    const int row = nb_index_add(&grid->known, key, grid->rows);
    if (row == grid->rows && row < grid->room) {
        grid->row[row] = pair->record[NB_A];
        grid->system[row] = pair->system;
        ++grid->rows;
    }
    return row < grid->room ? row : -1;
}

/* Pairs the reference with a value. Where that has no case at all there is nothing to add. */
static enum nb_status add_value(struct grid *grid, int reference, int value, struct nb_error *error)
{
    struct nb_comparison_result result;
    enum nb_status status = compare(grid, reference, value, &result, error);
    for (int i = 0; i < result.count && !status; ++i) {
        const int row = row_of(grid, &result.pair[i]);
        if (row < 0) {
            status = no_memory(error);
        } else if (!result.pair[i].copy) {
            fill_cell(grid, row, reference, &result.pair[i], NB_A);
            fill_cell(grid, row, value, &result.pair[i], NB_B);
        }
    }
    nb_comparison_free(&result);
    return status == NB_BAD_INPUT ? NB_OK : status;
}

static enum nb_status fill_grid(struct grid *grid, struct nb_error *error)
{
    const struct nb_curve *curve = grid->curve;
    int reference = 0, cases[NB_CURVE_VALUES] = {0};
    for (int v = 0; v < curve->count; ++v) {
        cases[v] = count_cases(&curve->value[v], grid->records);
        reference = cases[v] > cases[reference] ? v : reference;
    }
    grid->room = cases[reference];
    grid->row = calloc((size_t)grid->room + 1, sizeof *grid->row);
    grid->system = calloc((size_t)grid->room + 1, sizeof *grid->system);
    grid->cell = calloc((size_t)(grid->room + 1) * (size_t)curve->count, sizeof *grid->cell);
    if (!grid->row || !grid->system || !grid->cell)
        return no_memory(error);
    enum nb_status status = NB_OK;
    for (int v = 0; v < curve->count && !status; ++v)
        if (v != reference && cases[v])
            status = add_value(grid, reference, v, error);
    return status;
}

static const struct cell *at(const struct grid *grid, int row, int value)
{
    return &grid->cell[row * grid->curve->count + value];
}

static int count_solved(const struct grid *grid, bool system, int value)
{
    int count = 0;
    for (int r = 0; r < grid->rows; ++r)
        count += grid->system[r] == system && at(grid, r, value)->solved;
    return count;
}

/* Whether all values that solve `most` cases, of the numbers solved [values], solve this one. */
static bool is_common(const struct grid *grid, int row, const int *solved, int most)
{
    for (int v = 0; v < grid->curve->count; ++v)
        if (solved[v] == most && !at(grid, row, v)->solved)
            return false;
    return true;
}

/* Of the values that solve the most the one of the least mean time where all of them solve; -1: nothing is solved. */
static int fastest(const struct grid *grid, bool system)
{
    int solved[NB_CURVE_VALUES], most = 0, best = -1;
    double least = INFINITY;
    for (int v = 0; v < grid->curve->count; ++v) {
        solved[v] = count_solved(grid, system, v);
        most = solved[v] > most ? solved[v] : most;
    }
    for (int v = 0; v < grid->curve->count && most; ++v) {
        double sum = 0;
        if (solved[v] < most)
            continue;
        for (int r = 0; r < grid->rows; ++r)
            if (grid->system[r] == system && is_common(grid, r, solved, most) && isfinite(at(grid, r, v)->time))
                sum += log(at(grid, r, v)->time);
        if (best < 0 || sum < least) {
            best = v;
            least = sum;
        }
    }
    return best;
}

static struct nb_interval inverse(const struct nb_interval *ratio)
{
    return (struct nb_interval){1 / ratio->value, 1 / ratio->high, 1 / ratio->low};
}

/* The geometric mean of a number of the cells over that at the best value, over cases of `problem` (NULL: all) that
 * both solve; NaN: there is none. */
static double mean_ratio(const struct grid *grid, bool system, int value, int best, const char *problem,
                         double (*number)(const struct cell *cell))
{
    double sum = 0;
    int count = 0;
    for (int r = 0; r < grid->rows; ++r) {
        char name[NB_CURVE_TEXT];
        const struct cell *cell = at(grid, r, value), *other = at(grid, r, best);
        nb_outcome_problem(grid->row[r], name, sizeof name);
        const double ratio = number(cell) / number(other);
        if (grid->system[r] == system && cell->solved && other->solved && ratio > 0 && isfinite(ratio) &&
            (!problem || !strcmp(name, problem))) {
            sum += log(ratio);
            ++count;
        }
    }
    return count ? exp(sum / count) : NAN;
}

/* Of one pair the interval is its own: as a mean it has no width that would count. */
static struct nb_interval mean_time(const struct nb_comparison_part *part)
{
    for (int i = 0; i < part->count && part->tally.timed == 1; ++i)
        if (!part->pair[i].copy && isfinite(part->pair[i].speed_up.value))
            return inverse(&part->pair[i].speed_up);
    return inverse(&part->speed_up);
}

static double time_of(const struct cell *cell)
{
    return cell->time;
}

static double iterations_of(const struct cell *cell)
{
    return cell->iterations;
}

static double linear_of(const struct cell *cell)
{
    return cell->linear;
}

static void reason_of(const cJSON *record, char *text, size_t size)
{
    const char *ending = nb_json_string(record, "ending"), *detail = nb_json_string(record, "detail");
    const bool reached = !strcmp(ending, "converged") || !strcmp(ending, "accuracy_floor");
    snprintf(text, size, "%s%s%s", reached ? "less accurate" : ending, *detail ? ": " : "", detail);
    for (char *c = text; *c && *c != ':'; ++c)
        *c = *c == '_' ? ' ' : *c;
}

/* The reason that most of the value's failures share. */
static void find_reason(const struct grid *grid, bool system, int value, char *reason, size_t size)
{
    struct nb_reasons reasons = {0};
    int rest;
    for (int r = 0; r < grid->rows; ++r) {
        char text[sizeof((struct nb_curve_point){0}).reason];
        const struct cell *cell = at(grid, r, value);
        if (grid->system[r] != system || !cell->record || cell->solved)
            continue;
        reason_of(cell->record, text, sizeof text);
        nb_reasons_count(&reasons, text);
    }
    if (nb_reasons_sort(&reasons, &rest))
        snprintf(reason, size, "%.*s", (int)size - 1, reasons.reason->text);
    nb_reasons_free(&reasons);
}

/* What a value is beside the best, but for what a comparison says. */
static void fill_point(const struct grid *grid, int part, int value, struct nb_curve_part *filled)
{
    struct nb_curve_point *point = &filled->point[value];
    const bool system = part;
    *point = (struct nb_curve_point){
        .time = {NAN, NAN, NAN}, .iterations = NAN, .linear = NAN, .verdict = NB_VERDICT_NOT_DECIDED};
    for (int r = 0; r < grid->rows; ++r)
        point->cases += grid->system[r] == system && at(grid, r, value)->record;
    point->solved = count_solved(grid, system, value);
    find_reason(grid, system, value, point->reason, sizeof point->reason);
    if (filled->best < 0)
        return;
    point->iterations = mean_ratio(grid, system, value, filled->best, NULL, iterations_of);
    point->linear = mean_ratio(grid, system, value, filled->best, NULL, linear_of);
    for (int p = 0; p < filled->problems; ++p)
        point->of_problem[p] = mean_ratio(grid, system, value, filled->best, filled->problem[p], time_of);
}

/* Compares all with the best; *better: that which is better than it, by the most; -1: none is. */
static enum nb_status compare_all(const struct grid *grid, int part, struct nb_curve_part *filled, int *better,
                                  struct nb_error *error)
{
    double most = 0;
    *better = -1;
    for (int v = 0; v < grid->curve->count; ++v) {
        struct nb_curve_point *point = &filled->point[v];
        struct nb_comparison_result result;
        fill_point(grid, part, v, filled);
        if (v == filled->best)
            point->time = (struct nb_interval){1, 1, 1};
        if (v == filled->best || !point->cases)
            continue;
        const enum nb_status status = compare(grid, filled->best, v, &result, error);
        const struct nb_comparison_part *pairs = part ? &result.systems : &result.steps;
        if (!status && pairs->count) {
            point->time = mean_time(pairs);
            point->verdict = pairs->verdict;
            if (point->verdict == NB_VERDICT_BETTER && pairs->speed_up.value > most) {
                most = pairs->speed_up.value;
                *better = v;
            }
        }
        nb_comparison_free(&result);
        if (status && status != NB_BAD_INPUT)
            return status;
    }
    return NB_OK;
}

static void find_problems(const struct grid *grid, int part, struct nb_curve_part *filled)
{
    for (int r = 0; r < grid->rows; ++r) {
        char name[NB_CURVE_TEXT];
        int p = 0;
        if (grid->system[r] != (bool)part)
            continue;
        filled->any = true;
        nb_outcome_problem(grid->row[r], name, sizeof name);
        while (p < filled->problems && strcmp(filled->problem[p], name))
            ++p;
        if (p == filled->problems && p < NB_CURVE_PROBLEMS)
            strcpy(filled->problem[filled->problems++], name);
    }
}

static void mark_same(const struct nb_curve *curve, struct nb_curve_part *part)
{
    for (int way = -1; way <= 1; way += 2)
        for (int v = part->best + way; v >= 0 && v < curve->count; v += way) {
            if (part->point[v].verdict != NB_VERDICT_NOT_DISTINGUISHABLE)
                break;
            part->point[v].same = true;
        }
}

static enum nb_status fill_part(const struct grid *grid, int part, struct nb_curve_part *filled, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    find_problems(grid, part, filled);
    filled->better = -1;
    filled->best = fastest(grid, part);
    if (!filled->any)
        return NB_OK;
    for (int v = 0; v < grid->curve->count && filled->best < 0; ++v)
        fill_point(grid, part, v, filled);
    if (filled->best < 0)
        return NB_OK;
    for (int turn = 0; turn < grid->curve->count && !status; ++turn) {
        status = compare_all(grid, part, filled, &filled->better, error);
        if (filled->better < 0 || turn + 1 == grid->curve->count) /* after so many turns one has come again */
            break;
        filled->best = filled->better;
    }
    if (!status)
        mark_same(grid->curve, filled);
    return status;
}

const char *nb_curve_part_name(int part)
{
    return part ? "linear systems" : "whole steps";
}

/* "0.9", "0.9 and 1.3", "0.9, 1.3 and 1.5"; how many. */
static int write_same(const struct nb_curve *curve, const struct nb_curve_part *part, FILE *text)
{
    int count = 0, written = 0;
    for (int v = 0; v < curve->count; ++v)
        count += part->point[v].same;
    for (int v = 0; v < curve->count && text; ++v)
        if (part->point[v].same)
            fprintf(text, "%s%s", written++ == 0 ? "" : written == count ? " and "
                                                                         : ", ",
                    curve->value[v].text);
    return count;
}

static void write_usual(const struct nb_curve *curve, const struct nb_curve_part *part, FILE *text)
{
    for (int v = 0; v < curve->count; ++v) {
        const struct nb_curve_point *point = &part->point[v];
        char word[100];
        if (!curve->value[v].usual || v == part->best)
            continue;
        nb_curve_verdict(part, v, word, sizeof word);
        fprintf(text, " What it is otherwise, %s, is %s", curve->value[v].text, word);
        if (isfinite(point->time.value))
            fprintf(text, ": it takes %.3g [%.3g, %.3g] times as long", point->time.value, point->time.low,
                    point->time.high);
        fputc('.', text);
    }
}

/* The best, or one that is not to be told from it, is at the end of the values, beyond which there may be others. */
static bool reaches_an_end(const struct nb_curve *curve, const struct nb_curve_part *part)
{
    const int ends[] = {0, curve->count - 1};
    for (int i = 0; i < 2; ++i) {
        const double number = curve->value[ends[i]].number;
        if ((part->best == ends[i] || part->point[ends[i]].same) && number > curve->least && number < curve->most)
            return true;
    }
    return false;
}

static void write_sentence(const struct nb_curve *curve, const struct nb_curve_part *part, FILE *text)
{
    const int best = part->best;
    if (best < 0) {
        fprintf(text, "No value of %s solves any.", curve->setting);
        return;
    }
    fprintf(text, "Of %d values of %s, %s is the best", curve->count, curve->setting, curve->value[best].text);
    if (write_same(curve, part, NULL)) {
        fputs(", not to be told from ", text);
        write_same(curve, part, text);
    }
    fputc('.', text);
    if (part->better >= 0)
        fprintf(text, " But %s is better than it: the comparisons go round, and no value is the best.",
                curve->value[part->better].text);
    if (reaches_an_end(curve, part))
        fprintf(text, " The best reaches the end of what was tried: a value beyond may be better.");
    write_usual(curve, part, text);
}

static enum nb_status say(const struct nb_curve *curve, struct nb_curve_part *part, struct nb_error *error)
{
    size_t size;
    FILE *text = open_memstream(&part->sentence, &size);
    if (text)
        write_sentence(curve, part, text);
    return text && !fclose(text) ? NB_OK : no_memory(error);
}

enum nb_status nb_curve_make(struct nb_curve *curve, cJSON *records, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct grid grid = {.curve = curve, .records = records};
    enum nb_status status = fill_grid(&grid, error);
    for (int part = 0; part < 2 && !status; ++part) {
        status = fill_part(&grid, part, &curve->part[part], error);
        if (!status && curve->part[part].any)
            status = say(curve, &curve->part[part], error);
    }
    free(grid.row);
    free(grid.system);
    free(grid.cell);
    nb_index_free(&grid.known);
    return status;
}

void nb_curve_free(struct nb_curve *curve)
{
    for (int part = 0; part < 2; ++part)
        free(curve->part[part].sentence);
    memset(curve->part, 0, sizeof curve->part);
}
