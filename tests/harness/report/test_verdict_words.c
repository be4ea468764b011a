/* The words of a comparison follow from its counts and intervals: over tables of pairs that are drawn by chance, they
 * contradict neither the counts beside them nor themselves with A and B exchanged. */
#include "tests/support/case_text.h"
#include "tests/support/folder.h"

enum { TABLES = 240, MOST = 6 };

/* What a pair may be: B is as fast, twice as fast, half as fast, a little faster or slower; B fails, A does, both
 * do. */
enum kind { EQUAL, FASTER, SLOWER, RATHER_FASTER, RATHER_SLOWER, B_FAILS, A_FAILS, NEITHER, KINDS };

static void write_pair(FILE *file, int number, enum kind kind)
{
    static const double seconds[KINDS] = {1, 0.5, 2, 0.98, 1.02, 1, 1, 1};
    char problem[16];
    snprintf(problem, sizeof problem, "p%d", number);
    put_precond(file, problem, "old", kind == A_FAILS || kind == NEITHER ? 1 : 0.1, 1e-3);
    put_precond(file, problem, "new", kind == B_FAILS || kind == NEITHER ? 1 : 0.1, 1e-3 * seconds[kind]);
}

static void look(const char *path, bool exchanged, struct nb_comparison_result *result)
{
    const char *const paths[] = {path};
    struct nb_comparison comparison = {.a = {1, {exchanged ? "precond=new" : "precond=old"}},
                                       .b = {1, {exchanged ? "precond=old" : "precond=new"}}, .tolerance = 2e-4};
    assert_ok(nb_compare_files(&comparison, paths, 1, result, &why));
}

static enum nb_verdict other(enum nb_verdict verdict)
{
    switch (verdict) {
    case NB_VERDICT_BETTER:
        return NB_VERDICT_WORSE;
    case NB_VERDICT_WORSE:
        return NB_VERDICT_BETTER;
    case NB_VERDICT_FASTER_FAILS_MORE:
        return NB_VERDICT_SLOWER_FAILS_LESS;
    case NB_VERDICT_SLOWER_FAILS_LESS:
        return NB_VERDICT_FASTER_FAILS_MORE;
    default:
        return verdict;
    }
}

static void expect_words(const struct nb_comparison_part *part)
{
    const struct nb_tally *tally = &part->tally;
    const int wins = tally->better + tally->fails[NB_A], losses = tally->worse + tally->fails[NB_B];
    assert_int_equal(wins + losses + tally->undecided + tally->neither, part->count);
    switch (part->verdict) {
    case NB_VERDICT_BETTER:
        assert_true(wins > losses && tally->fails[NB_A] >= tally->fails[NB_B]);
        break;
    case NB_VERDICT_WORSE:
        assert_true(losses > wins && tally->fails[NB_B] >= tally->fails[NB_A]);
        break;
    case NB_VERDICT_FASTER_FAILS_MORE:
        assert_true(tally->better > tally->worse && tally->fails[NB_B] > tally->fails[NB_A]);
        break;
    case NB_VERDICT_SLOWER_FAILS_LESS:
        assert_true(tally->worse > tally->better && tally->fails[NB_A] > tally->fails[NB_B]);
        break;
    case NB_VERDICT_MIXED:
        assert_true(wins && losses);
        break;
    case NB_VERDICT_NOT_DISTINGUISHABLE: /* no failure alone, and not every pair won, or every one lost */
        assert_true(!(losses == part->count && !wins) && !(wins == part->count && !losses));
        assert_true(tally->timed > 0);
        break;
    case NB_VERDICT_NOT_DECIDED:
        assert_true(!tally->timed && !tally->fails[NB_A] && !tally->fails[NB_B]);
        break;
    }
    assert_non_null(strstr(part->sentence, nb_verdict_text(part->verdict)));
}

TEST_IN_FOLDER(words_follow_from_counts)
{
    char *path = strdup(test_path(&folder, "table.jsonl"));
    unsigned long long random = 1;
    int seen[16] = {0};
    for (int t = 0; t < TABLES; ++t) {
        struct nb_comparison_result result = {0}, exchanged = {0};
        const int pairs = 1 + t % MOST;
        FILE *file = test_open(path, "w");
        for (int i = 0; i < pairs; ++i) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            write_pair(file, i, (enum kind)(t < KINDS ? t : (int)((random >> 33) % KINDS)));
        }
        assert_int_equal(fclose(file), 0);
        look(path, false, &result);
        look(path, true, &exchanged);
        expect_words(&result.steps);
        expect_words(&exchanged.steps);
        assert_int_equal(exchanged.steps.verdict, other(result.steps.verdict));
        ++seen[result.steps.verdict];
        nb_comparison_free(&result);
        nb_comparison_free(&exchanged);
    }
    for (int v = NB_VERDICT_BETTER; v <= NB_VERDICT_NOT_DISTINGUISHABLE; ++v)
        assert_true(seen[v] > 0);
    free(path);
}
