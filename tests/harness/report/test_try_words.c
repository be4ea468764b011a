/* The sentences of a try against the table beside them: over all verdicts of three pairs, none says "nowhere" where the
 * table counts one, or is silent of it. What is not decided lies further out than what is. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/try/try_private.h"

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
        free(text);
    }
}
