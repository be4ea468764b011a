/* What a try found, in words: the candidate against each rival (harness/report/compare.h), and of the pairs with the
 * first rival the one in which it gains most and the one in which it loses most, with the work behind the times. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/try/try_private.h"
#include "problems/base/emphasis.h"

enum { TABLE_LINES = 7 }; /* of 15 in all */

static const char *kind_in_words(const char *kind)
{
    static const char *const words[][2] = {{"precond", "a preconditioner"}, {"linear", "a linear solver"},
                                           {"ncp", "an NCP function"},      {"scaling", "a scaling"},
                                           {"operator", "an operator"},     {"solver", "a method"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (!strcmp(kind, words[i][0]))
            return words[i][1];
    return kind;
}

static const struct nb_comparison_part *main_part(const struct nb_comparison_result *result)
{
    return result->steps.count ? &result->steps : &result->systems;
}

static void write_headline(const struct nb_try_found *found, FILE *text)
{
    const struct nb_try *request = found->request;
    if (!found->judged) {
        fprintf(text, "%s, %s, is not judged: none of its cases was done in time.", request->candidate,
                kind_in_words(request->kind));
        return;
    }
    fprintf(text, "%s, %s, is on %s ", request->candidate, kind_in_words(request->kind),
            found->against[0].steps.count ? "whole steps" : "linear systems");
    for (int r = 0; r < request->rivals; ++r) {
        char phrase[NB_TRY_NAME + 64];
        nb_verdict_phrase(main_part(&found->against[r])->verdict, request->rival[r], phrase, sizeof phrase);
        fprintf(text, "%s%s", r ? "; " : "", phrase);
    }
    fputc('.', text);
}

/* How to find where memory is spoilt. */
static void write_sanitizer(const struct nb_try *request, FILE *text)
{
    static const char *const spoilt[] = {"killed by", "exit status", " is written, beside", "is changed"};
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; ++i)
        if (strstr(request->finding, spoilt[i]) && dlsym(RTLD_DEFAULT, "__asan_poison_memory_region")) {
            fprintf(text, " AddressSanitizer says at which line in %s.asan.PROCESS.", request->plugin);
            return;
        } else if (strstr(request->finding, spoilt[i])) {
            fprintf(text, " Built by `ncpbench-plugin %s.c -fsanitize=address` and tried as %s.so, it stops at the "
                          "line that does it.", request->name, request->name);
            return;
        }
}

static void write_probe(const struct nb_try_found *found, FILE *text)
{
    const struct nb_try *request = found->request;
    if (strcmp(request->kind, "precond") != 0 || !request->plugin[0])
        return;
    if (request->finding[0] && !request->tried_on[0]) {
        fprintf(text, "Tried on a small system, it is at fault: %s.", request->finding);
        write_sanitizer(request, text);
        return;
    }
    fputs("Tried on a small system, it is finite, linear, symmetric and positive definite", text);
    if (request->finding[0])
        fprintf(text, "; on %s, it is at fault: %s", request->tried_on, request->finding);
    else if (request->tried)
        fprintf(text, ", and nothing is wrong on %d system%s of the problems", request->tried,
                request->tried == 1 ? "" : "s");
    fputc('.', text);
    write_sanitizer(request, text);
}

/* How the run of that side ended. */
static void write_ending(const struct nb_pair *pair, int side, FILE *text)
{
    const char *detail = nb_json_string(pair->record[side], "detail");
    fprintf(text, "%s%s%.100s", nb_json_string(pair->record[side], "ending"), *detail ? ": " : "", detail);
}

/* Three digits, and of large numbers all before the point. */
static void add_number(FILE *text, double value)
{
    fprintf(text, fabs(value) < 1000 ? "%.3g" : "%.0f", value);
}

/* "linear iterations 812 instead of 1400". */
static bool add_change(FILE *text, bool any, const char *what, double mine, double theirs, double unit,
                       const char *unit_name)
{
    if (!(isfinite(mine) && isfinite(theirs)) || (mine == theirs && unit == 1))
        return any;
    fprintf(text, "%s %s ", any ? "," : ":", what);
    add_number(text, mine / unit);
    fprintf(text, "%s instead of ", unit_name);
    add_number(text, theirs / unit);
    return true;
}

static double each(const struct nb_effort *effort)
{
    return effort->applications > 0 ? effort->application / effort->applications : (double)NAN;
}

static void write_why(const struct nb_pair *pair, FILE *text)
{
    const struct nb_effort *theirs = &pair->effort[NB_A], *mine = &pair->effort[NB_B];
    bool any = false;
    if (!pair->system)
        any = add_change(text, any, "Newton iterations", pair->outcome[NB_B].iterations, pair->outcome[NB_A].iterations,
                         1, "");
    any = add_change(text, any, "linear iterations", mine->linear_iterations, theirs->linear_iterations, 1, "");
    any = add_change(text, any, "set-up", mine->setup, theirs->setup, 1e-3, " ms");
    add_change(text, any, "an application", each(mine), each(theirs), 1e-6, " us");
}

/* The gain of a pair: the speed-up; infinity where the rival alone fails, 0 where the candidate does. */
static double gain(const struct nb_pair *pair)
{
    if (pair->verdict == NB_PAIR_A_FAILS)
        return INFINITY;
    return pair->verdict == NB_PAIR_B_FAILS ? 0 : pair->speed_up.value;
}

/* Whether the table counts it as better, or as worse. */
static bool is_decided(const struct nb_pair *pair, bool gain)
{
    return gain ? pair->verdict == NB_PAIR_BETTER || pair->verdict == NB_PAIR_A_FAILS : pair->verdict == NB_PAIR_WORSE;
}

/* The pair of the largest gain, or of the smallest, among those that are decided so, or among all; NULL: there is none
 * with a gain. */
static const struct nb_pair *extreme(const struct nb_comparison_result *result, bool largest, bool decided)
{
    const struct nb_pair *best = NULL;
    for (int i = 0; i < result->count; ++i) {
        const struct nb_pair *pair = &result->pair[i];
        const double value = gain(pair);
        if (!isnan(value) && (!decided || is_decided(pair, largest)) &&
            (!best || (largest ? value > gain(best) : value < gain(best))))
            best = pair;
    }
    return best;
}

/* "Nowhere" is said where the table counts none against the first rival; against another it may count some. */
static void write_extreme(const struct nb_try_found *found, bool largest, FILE *text)
{
    const char *rival = found->request->rival[0];
    const struct nb_pair *decided = extreme(&found->against[0], largest, true);
    const struct nb_pair *pair = decided ? decided : extreme(&found->against[0], largest, false);
    if (!pair)
        return;
    if (pair->verdict == NB_PAIR_B_FAILS) /* where it fails is said in a sentence of its own */
        return;
    if (!decided && pair == extreme(&found->against[0], !largest, true)) { /* the only one, of which the other tells */
        fprintf(text, "Nowhere does it %s against %s.", largest ? "help" : "hurt", rival);
        return;
    }
    if (decided)
        fprintf(text, "It %s most on %s: ", largest ? "helps" : "hurts", pair->label);
    else
        fprintf(text, "Nowhere does it %s against %s. %s for it is %s: ", largest ? "help" : "hurt", rival,
                largest ? "Best" : "Worst", pair->label);
    if (pair->verdict == NB_PAIR_A_FAILS) {
        fprintf(text, "%s fails (", rival);
        write_ending(pair, NB_A, text);
        fputs(").", text);
        return;
    }
    fprintf(text, "%.3g [%.3g, %.3g] times as fast as %s", pair->speed_up.value, pair->speed_up.low,
            pair->speed_up.high, rival);
    write_why(pair, text);
    fputc('.', text);
}

static void write_gain(const struct nb_try_found *found, FILE *text)
{
    write_extreme(found, true, text);
}

static void write_loss(const struct nb_try_found *found, FILE *text)
{
    write_extreme(found, false, text);
}

/* Where the candidate does not get to the tolerance, whatever the rival does. */
static void write_failures(const struct nb_try_found *found, FILE *text)
{
    const struct nb_comparison_result *result = &found->against[0];
    int count = 0;
    for (int i = 0; i < result->count; ++i) {
        const struct nb_pair *pair = &result->pair[i];
        if (pair->verdict != NB_PAIR_B_FAILS && pair->verdict != NB_PAIR_NEITHER)
            continue;
        if (count < 2) {
            fprintf(text, "%s%s (", count ? ", " : "It fails on ", pair->label);
            write_ending(pair, NB_B, text);
            fputs(pair->verdict == NB_PAIR_NEITHER ? ", as does the rival)" : ")", text);
        }
        ++count;
    }
    if (count > 2)
        fprintf(text, " and %d more", count - 2);
    fputs(count ? "." : "", text);
}

static void write_left_out(const struct nb_try_found *found, FILE *text)
{
    const struct nb_try *request = found->request;
    if (request->left_out)
        fprintf(text, "Its time of %g s was over before %d of its cases had all their runs; they are judged by those "
                      "that they have, if any: --time-limit gives more.",
                request->allowed, request->left_out);
}

enum nb_status nb_try_sentences(struct nb_try_found *found, struct nb_error *error)
{
    static void (*const writers[NB_TRY_SENTENCES])(const struct nb_try_found *found, FILE *text) = {
        write_headline, write_probe, write_gain, write_loss, write_failures, write_left_out};
    int count = 0;
    for (int i = 0; i < NB_TRY_SENTENCES; ++i) {
        char *sentence = NULL;
        size_t size = 0;
        FILE *text = open_memstream(&sentence, &size);
        if (!text)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the verdict");
        writers[i](found, text);
        if (fclose(text) || !sentence) {
            free(sentence);
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the verdict");
        }
        if (size)
            found->sentence[count++] = sentence;
        else
            free(sentence);
    }
    return NB_OK;
}

static void print_part(const char *rival, const char *what, const struct nb_comparison_part *part, FILE *stream)
{
    const struct nb_tally *tally = &part->tally;
    char mean[64] = "-";
    if (tally->timed == 1) /* the interval of one pair is of no width */
        snprintf(mean, sizeof mean, "%.3g", part->speed_up.value);
    else if (isfinite(part->speed_up.value))
        snprintf(mean, sizeof mean, "%.3g [%.3g, %.3g]", part->speed_up.value, part->speed_up.low, part->speed_up.high);
    fprintf(stream, "%-18.18s %-8s %4d %7d %6d %10d %7d  %-22s %s\n", rival, what, part->count,
            tally->better + tally->fails[NB_A], tally->worse, tally->undecided + tally->neither, tally->fails[NB_B],
            mean, nb_verdict_text(part->verdict));
}

static void print_table(const struct nb_try_found *found, FILE *stream)
{
    const struct nb_try *request = found->request;
    int lines = 0;
    fprintf(stream, "%-18s %-8s %4s %7s %6s %10s %7s  %-22s verdict\n", "against", "on", "all", "better", "worse",
            "undecided", "fails", "speed-up, mean [95 %]");
    for (int r = 0; r < request->rivals; ++r) {
        const struct nb_comparison_part *parts[] = {&found->against[r].steps, &found->against[r].systems};
        for (int p = 0; p < 2; ++p)
            if (parts[p]->count && lines++ < TABLE_LINES)
                print_part(request->rival[r], p ? "systems" : "steps", parts[p], stream);
    }
}

void nb_try_print(const struct nb_try_found *found, FILE *stream)
{
    for (int i = 0; i < NB_TRY_SENTENCES && found->sentence[i]; ++i) {
        fprintf(stream, "%s\n", found->sentence[i]);
        if (i == 0 && found->judged)
            print_table(found, stream);
    }
    if (found->judged && found->curve.count)
        nb_curve_print(&found->curve, stream);
}
