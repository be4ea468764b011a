/* The nearest of known names: one that is the same but for case, - and _; else by a table of the words that other
 * programs and papers have for ours; else by letters inserted, removed, changed or swapped with their neighbours,
 * or as a part. The table says nothing of where a word is read: it counts where its meaning is among the known. */
#include "problems/base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LENGTH = 64, NEAREST_SHOWN = 4, CHOICES_MOST = 16 };

/* What we call it, and what others do, in small letters with - between words and blanks between names. */
static const struct {
    const char *meant, *typed;
} synonyms[] = {
    /* options */
    {"tol", "tolerance accuracy rtol atol precision-goal"},
    {"newton-iters", "iterations iters niter max-iterations max-iters max-iter maxiter newton-iterations "
                     "outer-iterations"},
    {"linear-iters", "iterations iters niter max-iterations max-iters max-iter maxiter linear-iterations "
                     "inner-iterations"},
    {"precond", "preconditioner pc"}, {"linear", "linear-solver ksp"}, {"solver", "method nonlinear-solver"},
    {"ncp", "complementarity"}, {"precision", "arithmetic dtype float-type"}, {"shift", "regularization"},
    {"damping", "relaxation step-length"}, {"backend", "device"}, {"threads", "cores nthreads"},
    {"jobs", "cores parallel processes"}, {"output", "out output-folder output-directory"},
    {"repetitions", "reps repeat runs"}, {"rhs", "right-hand-side"}, {"time", "duration end-time"},
    {"where", "filter only select"}, {"anew", "force overwrite rerun"}, {"dry-run", "simulate preview"},
    {"help", "usage"}, {"vtkhdf", "paraview vtk"},
    /* parameters of scenes */
    {"time-step", "dt h timestep"}, {"friction", "mu friction-coefficient"},
    /* values */
    {"f32", "float float32 fp32 single"}, {"f64", "double float64 fp64"}, {"f16", "half float16 fp16"},
    {"bf16", "bfloat16"}, {"f32-sums", "mixed"}, {"pcg", "cg conjugate-gradient"}, {"pcr", "cr conjugate-residual"},
    {"cholesky", "direct"}, {"ldlt", "ldl"}, {"gauss-seidel", "gs"}, {"symmetric-gauss-seidel", "sgs"},
    {"pgs", "gauss-seidel projected-gauss-seidel"}, {"nsgs", "gauss-seidel nonsmooth-gauss-seidel"},
    {"ic0", "ichol icc ilu ilu0 incomplete-cholesky"}, {"jacobi", "diagonal diag"}, {"block-jacobi", "bjacobi"},
    {"amg", "multigrid"}, {"none", "no off identity"}, {"identity", "unit"},
    {"fb", "fischer fischer-burmeister"}, {"min", "minmap min-map minimum-map"}, {"cuda", "gpu"}, {"cpu", "host"},
    /* commands */
    {"solve", "run"}, {"sweep", "bench benchmark"}, {"plot", "draw figure"}, {"info", "show describe inspect"},
    {"list", "ls"}, {"report", "summary table"}, {"compare", "diff"}, {"export", "generate create write"},
    {"completion", "completions"}, {"man", "manual"},
};

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

/* Of folded names. */
static int is_synonym(const char *name, const char *known)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; ++i) {
        if (strcmp(synonyms[i].meant, known))
            continue;
        for (const char *at = synonyms[i].typed; *at; at += strspn(at, " ")) {
            const size_t end = strcspn(at, " ");
            if (end == length && !memcmp(at, name, length))
                return 1;
            at += end;
        }
    }
    return 0;
}

/* Of folded names. Of another word more than a third is different. */
static int nearness(const char *name, const char *known)
{
    const size_t length = strlen(name), whole = strlen(known), letters = distance(name, known);
    const char *part = strstr(known, name);
    if (letters == 0)
        return NB_SAME_NAME;
    if (is_synonym(name, known))
        return NB_SYNONYM;
    if (letters == 1 && length > 1)
        return NB_ONE_LETTER;
    if (part == known || (part && length > 1 && !strcmp(known + whole - length, name)))
        return NB_ITS_BEGINNING;
    if (part && length > 1)
        return NB_A_PART;
    const int shortened = length > 2 && *name == *known && letters + length == whole; /* fig18 */
    const int lengthened = whole > 2 && length > whole &&                             /* output-file, block-ic0 */
                           (!strncmp(name, known, whole) || !strcmp(name + length - whole, known));
    return (length > 1 && letters <= (length + 2) / 3) || shortened || lengthened ? NB_LETTERS + (int)letters
                                                                                  : NB_NOT_NEAR;
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
