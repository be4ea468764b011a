/* Performance and data profiles (Dolan and More 2002; More and Wild 2009). A table of each panel holds the cost of
 * every curve on every problem, infinite where the tolerance was not reached. A curve is its finite costs in
 * ascending order, once over the cheapest of their problem and once as they are, against the share of problems
 * solved. */
#include "harness/figures/profile.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/outcome.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "problems/base/sorted.h"
#include "solvers/solve.h"

enum { NAME = 320, COLUMNS = 3 };

/* What the curves paid for one problem; in time, on one kind of machine. */
struct row {
    double cost[NB_PLOT_WORDS]; /* infinity: not reached */
    int records[NB_PLOT_WORDS]; /* how many records there are */
    bool prorated[NB_PLOT_WORDS]; /* the cost is a share of a longer run's time */
};

/* The costs of one panel. */
struct table {
    struct row *row;
    struct nb_index names; /* of the rows */
    int problems, room, curves;
};

/* The row of a problem, made where it is new; NULL where memory is short. */
static struct row *find_row(struct table *table, const char *problem, struct nb_error *error)
{
    const int before = table->problems;
    const int number = nb_index_entry(&table->names, problem, &table->row, sizeof *table->row, &table->problems,
                                      &table->room);
    if (number < 0) {
        nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the profile of %d problems", table->problems + 1);
        return NULL;
    }
    for (int c = 0; c < table->curves && number == before; ++c)
        table->row[number].cost[c] = INFINITY;
    return &table->row[number];
}

/* What a precision cannot reach would tell nothing of the methods: its panel would be empty. */
static double tolerance_of(const struct nb_figure *figure, const char *panel)
{
    const double unit = strcmp(figure->panels.name, "precision") ? 0 : nb_unit_roundoff(panel);
    return fmax(figure->tolerance, unit > 0 ? pow(10, ceil(log10(1e3 * unit))) : 0);
}

/* The cheapest record counts. */
static void keep_cheapest(const struct nb_figure *figure, double tolerance, const cJSON *record, int curve,
                      struct row *row)
{
    struct nb_outcome outcome;
    nb_outcome_read(record, nb_outcome_tolerance(record, tolerance), &outcome);
    const double iterations = outcome.iterations ? outcome.iterations : INFINITY;
    const double cost = nb_plot_counts_iterations(figure) ? iterations : nb_outcome_time(&outcome);
    row->records[curve]++;
    if (cost < row->cost[curve]) {
        row->cost[curve] = cost;
        row->prorated[curve] = outcome.prorated && !nb_plot_counts_iterations(figure);
    }
}

static enum nb_status collect_costs(const struct nb_figure *figure, const struct nb_plot_data *data,
                                    struct table *table, struct nb_error *error)
{
    for (const struct nb_place *place = data->place; place < data->place + data->places; ++place) {
        char name[NAME + NB_MACHINE] = "";
        if (!nb_plot_counts_iterations(figure)) /* times are compared on one kind of machine */
            nb_record_text(place->record, "machine", name, NB_MACHINE);
        nb_outcome_instance(place->record, name + strlen(name), NAME);
        struct row *row = find_row(&table[place->panel], name, error);
        if (!row)
            return NB_OUT_OF_MEMORY;
        keep_cheapest(figure, data->tolerance[place->panel], place->record, place->curve, row);
    }
    return NB_OK;
}

static double best_of(const struct table *table, int row)
{
    double best = INFINITY;
    for (int c = 0; c < table->curves; ++c)
        best = fmin(best, table->row[row].cost[c]);
    return best;
}

/* The largest finite cost of the panel, over the best or absolute. */
static double largest(const struct table *table, bool relative)
{
    double most = relative ? 1 : 0;
    for (int row = 0; row < table->problems; ++row) {
        const double unit = relative ? best_of(table, row) : 1;
        for (int c = 0; c < table->curves; ++c) {
            const double cost = table->row[row].cost[c];
            if (isfinite(cost) && unit > 0)
                most = fmax(most, cost / unit);
        }
    }
    return most;
}

/* The costs' axis ends where it can be labelled: at the next 1, 2 ... 9 times a power of ten. */
static double axis_end(double cost)
{
    const double round_off = 1e-9;
    const double power = cost > 0 ? pow(10, floor(log10(cost) + round_off)) : 1;
    return fmax(cost, ceil(cost / power - round_off) * power);
}

/* One column of a curve: its sorted costs between the axis's two ends, `end` the upper one. */
static int fill_column(const struct table *table, int curve, bool relative, double end,
                       double *room, double *value)
{
    int solved = 0;
    for (int row = 0; row < table->problems; ++row) {
        const double cost = table->row[row].cost[curve];
        if (isfinite(cost))
            room[solved++] = relative ? cost / best_of(table, row) : cost;
    }
    nb_sort_doubles(room, solved);
    value[0] = relative || !solved ? 1 : room[0];
    for (int k = 0; k < solved; ++k)
        value[COLUMNS * (k + 1)] = room[k];
    value[COLUMNS * (solved + 1)] = end;
    return solved;
}

/* Over the problems that some curve solves; NaN: none. */
static double shifted_mean(const struct table *table, int curve, double shift)
{
    double sum = 0;
    int count = 0;
    for (int row = 0; row < table->problems; ++row) {
        double dearest = -1;
        for (int c = 0; c < table->curves; ++c)
            if (isfinite(table->row[row].cost[c]))
                dearest = fmax(dearest, table->row[row].cost[c]);
        if (dearest < 0)
            continue;
        const double cost = table->row[row].cost[curve];
        sum += log((isfinite(cost) ? cost : NB_PROFILE_PENALTY * dearest) + shift);
        ++count;
    }
    return count ? exp(sum / count) - shift : NAN;
}

static void write_summary(const struct table *table, int curve, int solved, bool iterations, struct nb_series *series)
{
    const double mean = shifted_mean(table, curve, iterations ? 1 : 1e-3);
    const int used = snprintf(series->summary, sizeof series->summary, "%d of %d", solved, table->problems);
    if (solved && isfinite(mean)) /* else it would be made of others' costs alone */
        snprintf(series->summary + used, sizeof series->summary - (size_t)used, ", mean %.3g %s",
                 iterations ? mean : 1e3 * mean, iterations ? "iterations" : "ms");
}

static void write_note(const struct table *table, int curve, int solved, bool iterations, struct nb_series *series)
{
    int missing = 0, several = 0, shared = 0;
    for (int row = 0; row < table->problems; ++row) {
        missing += table->row[row].records[curve] == 0;
        several += table->row[row].records[curve] > 1;
        shared += table->row[row].prorated[curve];
    }
    int used = snprintf(series->note, sizeof series->note, "reaches the tolerance on %d of %d",
                        solved, table->problems);
    const double mean = shifted_mean(table, curve, iterations ? 1 : 1e-3);
    if (solved && isfinite(mean)) /* without a solved problem it would be made of others' costs alone */
        used += snprintf(series->note + used, sizeof series->note - (size_t)used,
                         "; shifted geometric mean %.4g %s (shift 1 %s, failures %d times the dearest of the problem)",
                         (iterations ? 1 : 1e3) * mean, iterations ? "iterations" : "ms",
                         iterations ? "iteration" : "ms", NB_PROFILE_PENALTY);
    if (missing)
        used += snprintf(series->note + used, sizeof series->note - (size_t)used,
                         "; no record on %d, counted as not reached", missing);
    if (several)
        used += snprintf(series->note + used, sizeof series->note - (size_t)used,
                 "; several records on %d, the cheapest counts", several);
    if (shared)
        snprintf(series->note + used, sizeof series->note - (size_t)used,
                 "; on %d a share of a longer run's time (`tol` in the spec measures it)", shared);
}

/* The points of one curve; the last one repeats the share at the end of the axis. */
static enum nb_status fill_series(const struct table *table, int curve, bool iterations, const double *end,
                                  struct nb_series *series, struct nb_error *error)
{
    const size_t points = (size_t)table->problems + 2;
    double *room = malloc(points * sizeof *room);
    series->value = calloc(COLUMNS * points, sizeof *series->value);
    if (!room || !series->value) {
        free(room);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a profile");
    }
    fill_column(table, curve, true, end[1], room, series->value + 1);
    const int solved = fill_column(table, curve, false, end[0], room, series->value + 2);
    for (int k = 0; k <= solved + 1; ++k)
        series->value[COLUMNS * k] = (double)(k < solved ? k : solved) / table->problems;
    series->points = solved ? solved + 2 : 0;
    write_note(table, curve, solved, iterations, series);
    write_summary(table, curve, solved, iterations, series);
    free(room);
    return NB_OK;
}

/* All panels: their curves end at the largest cost of any of them. table [panels]. */
static enum nb_status fill_panels(const struct nb_figure *figure, struct nb_plot_data *data, struct table *table,
                                  struct nb_error *error)
{
    const int panels = data->panels.count, curves = data->curves.count;
    double end[2] = {0, 1}; /* absolute, over the best */
    for (int p = 0; p < panels; ++p) {
        table[p].curves = curves;
        data->tolerance[p] = tolerance_of(figure, data->panels.word[p]);
    }
    enum nb_status status = collect_costs(figure, data, table, error);
    for (int p = 0; p < panels; ++p) {
        data->problems[p] = table[p].problems;
        for (int relative = 0; relative < 2; ++relative)
            end[relative] = fmax(end[relative], largest(&table[p], relative));
    }
    end[0] = axis_end(end[0]);
    for (int i = 0; i < panels * curves && !status; ++i)
        if (table[i / curves].problems)
            status = fill_series(&table[i / curves], i % curves, nb_plot_counts_iterations(figure), end,
                                 &data->series[i], error);
    return status;
}

enum nb_status nb_profile_fill(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error)
{
    struct table *table = calloc((size_t)data->panels.count + 1, sizeof *table);
    const enum nb_status status = table ? fill_panels(figure, data, table, error)
                                        : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a profile");
    for (int p = 0; table && p < data->panels.count; ++p) {
        nb_index_free(&table[p].names);
        free(table[p].row);
    }
    free(table);
    return status;
}
