/* The sentences of a try against the table beside them: over all verdicts of three pairs, none says "nowhere" where the
 * table counts one, or is silent of it. What is not decided lies further out than what is. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/try/try_private.h"
#include "tests/support/files.h"

enum { PAIRS = 3,
       VERDICTS = NB_PAIR_NEITHER + 1 };

static double speed_up_of(enum nb_pair_verdict verdict, const char *label)
{
    if (verdict == NB_PAIR_NOT_DISTINGUISHABLE)
        return *label == 'b' ? 9 : 0.1;
    return verdict == NB_PAIR_BETTER ? 1.5 : verdict == NB_PAIR_WORSE ? 0.7
                                                                      : (double)NAN;
}

static struct nb_pair pair_of(enum nb_pair_verdict verdict, char *label)
{
    const double value = speed_up_of(verdict, label);
    return (struct nb_pair){.label = label, .verdict = verdict, .speed_up = {value, value, value}};
}

/* All sentences in one text, to be freed. */
static char *say(struct nb_pair *pairs)
{
    static const struct nb_try request = {
        .kind = "precond", .name = "mine", .candidate = "mine", .rivals = 1, .rival = {"theirs"}};
    struct nb_try_found *found = calloc(1, sizeof *found);
    size_t size;
    char *text = NULL;
    assert_non_null(found);
    *found = (struct nb_try_found){.request = &request, .judged = true};
    found->against[0].pair = pairs;
    found->against[0].count = PAIRS;
    found->against[0].steps = (struct nb_comparison_part){.pair = pairs, .count = PAIRS};
    assert_ok(nb_try_sentences(found, &why));
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; i < NB_TRY_SENTENCES && found->sentence[i]; ++i)
        fprintf(stream, "%s\n", found->sentence[i]);
    fclose(stream);
    for (int i = 0; i < NB_TRY_SENTENCES; ++i)
        free(found->sentence[i]);
    free(found);
    return text;
}

static bool says(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

TEST(sentences_agree_with_the_table)
{
    char label[PAIRS][2] = {"a", "b", "c"};
    for (int table = 0; table < VERDICTS * VERDICTS * VERDICTS; ++table) {
        const int verdict[PAIRS] = {table % VERDICTS, table / VERDICTS % VERDICTS, table / VERDICTS / VERDICTS};
        int count[VERDICTS] = {0};
        struct nb_pair pairs[PAIRS];
        for (int i = 0; i < PAIRS; ++i) {
            pairs[i] = pair_of((enum nb_pair_verdict)verdict[i], label[i]);
            ++count[verdict[i]];
        }
        char *text = say(pairs);
        const bool won = count[NB_PAIR_BETTER] || count[NB_PAIR_A_FAILS], lost = count[NB_PAIR_WORSE];
        const bool fails = count[NB_PAIR_B_FAILS] || count[NB_PAIR_NEITHER];
        assert_int_equal(says(text, "It helps most on"), won);
        assert_int_equal(says(text, "It hurts most on"), lost);
        assert_int_equal(says(text, "It fails on"), fails);
        assert_false(says(text, "Nowhere does it help") && won);
        assert_false(says(text, "Nowhere does it hurt") && (lost || count[NB_PAIR_B_FAILS]));
        assert_int_equal(says(text, "Nowhere does it help"), says(text, "Nowhere does it help against theirs."));
        assert_int_equal(says(text, "Nowhere does it hurt"), says(text, "Nowhere does it hurt against theirs."));
        for (int i = 0; i < PAIRS; ++i) { /* one pair is told once */
            char best[40], worst[40];
            snprintf(best, sizeof best, "Best for it is %s", label[i]);
            snprintf(worst, sizeof worst, "It hurts most on %s", label[i]);
            assert_false(says(text, best) && says(text, worst));
        }
        free(text);
    }
}

/* Our sweep's exclusion stands in the spec where a group has what it drops: elsewhere the sweep would tell of it. */
TEST(only_what_is_there_is_excluded)
{
    const struct {
        const char *kind, *name;
        bool quick, excludes;
    } of[] = {
        {"precond", "ssor", false, false},
        {"precond", "ssor", true, false},
        {"solver", "pgs", false, true},
        {"solver", "pgs", true, false},
    };
    struct test_folder folder = test_folder_make();
    assert_int_equal(setenv("NCPBENCH_DATA", "data", 1), 0);
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i) {
        struct nb_try *request = calloc(1, sizeof *request);
        assert_non_null(request);
        request->on = "canonical";
        request->quick = of[i].quick;
        snprintf(request->kind, sizeof request->kind, "%s", of[i].kind);
        snprintf(request->name, sizeof request->name, "%s", of[i].name);
        snprintf(request->spec, sizeof request->spec, "%s", test_path(&folder, "try.sweep"));
        assert_ok(nb_try_spec(request, &why));
        char *text = test_slurp(request->spec);
        assert_int_equal(says(text, "[exclude slow]"), of[i].excludes);
        free(text);
        free(request);
    }
    test_folder_remove(&folder);
}
