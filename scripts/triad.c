/* The machine's memory bandwidth by the triad a = b + s c (McCalpin 1995), best of 20, on one core:
 *
 *     triad [MiB an array]        prints GB/s, three arrays counted once each
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const size_t n = (size_t)((argc > 1 ? atof(argv[1]) : 128) * 1048576 / sizeof(double));
    const size_t repeats = n < 1000000 ? 20000000 / (n + 1) + 1 : 1;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    double best = 1e300;
    if (!a || !b || !c)
        return 2;
    for (size_t i = 0; i < n; ++i)
        a[i] = 0, b[i] = 1, c[i] = 2;
    for (int k = 0; k < 20; ++k) {
        const double start = seconds();
        for (size_t r = 0; r < repeats; ++r) {
            for (size_t i = 0; i < n; ++i)
                a[i] = b[i] + 0.5 * c[i];
            __asm__ volatile("" : : "r"(a) : "memory"); /* every pass has to be made */
        }
        const double time = (seconds() - start) / (double)repeats;
        best = time < best ? time : best;
    }
    printf("%.2f\n", 3e-9 * (double)(n * sizeof(double)) / best);
    free(a);
    free(b);
    free(c);
    return 0;
}
