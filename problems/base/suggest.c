/* The nearest of known names: one that is the same but for case, - and _; else by a table of the words that other
 * programs and papers have for ours; else by letters inserted, removed, changed or swapped with their neighbours,
 * or as a part. The table says nothing of where a word is read: it counts where its meaning is among the known. */
#include "problems/base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LENGTH = 64, NEAREST_SHOWN = 4, CHOICES_MOST = 16 };

static const struct {
    const char *typed, *meant;
} synonyms[] = {
    /* options */
    {"tolerance", "tol"}, {"accuracy", "tol"}, {"rtol", "tol"}, {"atol", "tol"},
    {"iterations", "newton-iters"}, {"iterations", "linear-iters"}, {"iters", "newton-iters"},
    {"iters", "linear-iters"}, {"max-iterations", "newton-iters"}, {"max-iterations", "linear-iters"},
    {"max-iters", "newton-iters"}, {"max-iters", "linear-iters"}, {"maxiter", "newton-iters"},
    {"maxiter", "linear-iters"}, {"max-iter", "newton-iters"}, {"max-iter", "linear-iters"},
    {"newton-iterations", "newton-iters"}, {"linear-iterations", "linear-iters"},
    {"outer-iterations", "newton-iters"}, {"inner-iterations", "linear-iters"},
    {"preconditioner", "precond"}, {"linear-solver", "linear"}, {"nonlinear-solver", "solver"}, {"method", "solver"},
    {"complementarity", "ncp"}, {"arithmetic", "precision"}, {"dtype", "precision"}, {"regularization", "shift"},
    {"relaxation", "damping"}, {"step-length", "damping"}, {"device", "backend"}, {"cores", "threads"},
    {"cores", "jobs"}, {"parallel", "jobs"}, {"out", "output"}, {"output-folder", "output"},
    {"output-directory", "output"}, {"reps", "repetitions"}, {"repeat", "repetitions"}, {"runs", "repetitions"},
    {"right-hand-side", "rhs"}, {"duration", "time"}, {"end-time", "time"}, {"filter", "where"}, {"only", "where"},
    {"force", "anew"}, {"overwrite", "anew"}, {"rerun", "anew"}, {"simulation", "dry-run"}, {"simulate", "dry-run"},
    {"usage", "help"}, {"ParaView", "vtkhdf"}, {"vtk", "vtkhdf"},
    /* parameters of scenes */
    {"dt", "time-step"}, {"h", "time-step"}, {"mu", "friction"}, {"friction-coefficient", "friction"},
    /* values */
    {"float", "f32"}, {"float32", "f32"}, {"fp32", "f32"}, {"single", "f32"}, {"double", "f64"}, {"float64", "f64"},
    {"fp64", "f64"}, {"half", "f16"}, {"float16", "f16"}, {"fp16", "f16"}, {"bfloat16", "bf16"},
    {"mixed", "f32-sums"}, {"conjugate-gradient", "pcg"}, {"conjugate-residual", "pcr"}, {"cg", "pcg"}, {"cr", "pcr"},
    {"direct", "cholesky"}, {"ldl", "ldlt"}, {"gs", "gauss-seidel"}, {"sgs", "symmetric-gauss-seidel"},
    {"ichol", "ic0"}, {"icc", "ic0"}, {"ilu", "ic0"}, {"incomplete-cholesky", "ic0"}, {"diagonal", "jacobi"},
    {"bjacobi", "block-jacobi"}, {"multigrid", "amg"}, {"no", "none"}, {"off", "none"}, {"fischer-burmeister", "fb"},
    {"minimum-map", "min"}, {"unit", "identity"}, {"identity", "none"}, {"gpu", "cuda"}, {"host", "cpu"},
    {"projected-gauss-seidel", "pgs"}, {"nonsmooth-gauss-seidel", "nsgs"},
    /* commands */
    {"run", "solve"}, {"bench", "sweep"}, {"benchmark", "sweep"}, {"draw", "plot"}, {"figure", "plot"},
    {"show", "info"}, {"describe", "info"}, {"inspect", "info"}, {"ls", "list"}, {"summary", "report"},
    {"table", "report"}, {"diff", "compare"}, {"generate", "export"}, {"create", "export"}, {"write", "export"},
    {"eigenvalues", "spectrum"}, {"condition", "conditioning"}, {"completions", "completion"}, {"manual", "man"},
};

enum { SYNONYMS = sizeof synonyms / sizeof *synonyms };

/* In small letters, with - for _. */
static void fold(const char *name, char folded[MAX_LENGTH + 1])
{
    size_t i = 0;
    for (; name[i] && i < MAX_LENGTH; ++i)
        folded[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    folded[i] = '\0';
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Letters inserted, removed, changed, or swapped with their neighbours. */
static size_t distance(const char *a, const char *b)
{
    size_t row[3][MAX_LENGTH + 1];
    const size_t m = strlen(a), n = strlen(b);
    for (size_t j = 0; j <= n; ++j)
        row[0][j] = j;
    for (size_t i = 1; i <= m; ++i) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; ++j) {
            now[j] = smaller(last[j - 1] + (a[i - 1] != b[j - 1]), 1 + smaller(now[j - 1], last[j]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], earlier[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

static int is_synonym(const char *name, const char *known)
{
    char typed[MAX_LENGTH + 1];
    for (int i = 0; i < SYNONYMS; ++i) {
        fold(synonyms[i].typed, typed);
        if (!strcmp(typed, name) && !strcmp(synonyms[i].meant, known))
            return 1;
    }
    return 0;
}

/* Of folded names. Two letters or more may stand for a whole; of another word more than a third is different. */
static int nearness(const char *name, const char *known)
{
    const size_t length = strlen(name), whole = strlen(known), letters = distance(name, known);
    const char *part = length > 1 ? strstr(known, name) : NULL;
    if (letters == 0)
        return NB_SAME_NAME;
    if (is_synonym(name, known))
        return NB_SYNONYM;
    if (letters == 1)
        return NB_ONE_LETTER;
    if (part && (part == known || !strcmp(known + whole - length, name)))
        return NB_ITS_BEGINNING;
    if (part)
        return NB_A_PART;
    const int shortened = length > 2 && *name == *known && letters + length == whole; /* fig18 */
    const int lengthened = whole > 2 && !strncmp(name, known, whole);                 /* output-file */
    return letters <= (length + 2) / 3 || shortened || lengthened ? NB_LETTERS + (int)letters : NB_NOT_NEAR;
}

size_t nb_nearest_names(const char *name, const char *const *known, size_t count, const char **nearest, size_t room,
                        int *how)
{
    char typed[MAX_LENGTH + 1], folded[MAX_LENGTH + 1];
    size_t found = 0;
    int least = NB_NOT_NEAR;
    fold(name, typed);
    for (size_t i = 0; *typed && i < count; ++i) {
        fold(known[i], folded);
        const int near = nearness(typed, folded);
        if (near == NB_NOT_NEAR || near > least)
            continue;
        found = near < least ? 0 : found;
        least = near;
        if (found < room)
            nearest[found++] = known[i];
    }
    if (how)
        *how = least;
    return found;
}

const char *nb_nearest_name(const char *name, const char *const *known, size_t count)
{
    const char *nearest;
    return nb_nearest_names(name, known, count, &nearest, 1, NULL) ? nearest : NULL;
}

static size_t write_names(const char *const *names, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
    return used;
}

/* All that are known where the nearest may not be what is meant, behind it: a long list may not fit. */
void nb_suggest_name(const char *name, const char *const *known, size_t count, char *text, size_t size)
{
    const char *nearest[NEAREST_SHOWN];
    size_t used = 0;
    int how;
    const size_t found = nb_nearest_names(name, known, count, nearest, NEAREST_SHOWN, &how);
    if (found) {
        used = (size_t)snprintf(text, size, "nearest: ");
        used += used < size ? write_names(nearest, found, text + used, size - used) : 0;
    }
    if (how > NB_ONE_LETTER && used < size)
        used += (size_t)snprintf(text + used, size - used, "%sknown: ", found ? "; " : "");
    if (how > NB_ONE_LETTER && used < size)
        write_names(known, count, text + used, size - used);
}

void nb_suggest_choice(const char *name, const char *choices, char *text, size_t size)
{
    char word[CHOICES_MOST][MAX_LENGTH + 1];
    const char *known[CHOICES_MOST];
    size_t count = 0;
    for (; *choices && count < CHOICES_MOST; choices += strspn(choices, ","), ++count) {
        snprintf(word[count], sizeof *word, "%.*s", (int)strcspn(choices, ","), choices);
        known[count] = word[count];
        choices += strcspn(choices, ",");
    }
    nb_suggest_name(name, known, count, text, size);
}
