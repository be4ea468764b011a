/* ncpbench plot: figures from records, pictures from problem files. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/figures/plot.h"

static void print_help(void)
{
    char known[1000];
    nb_plot_suggest("", known, sizeof known);
    printf("usage: ncpbench plot FIGURE RESULTS.jsonl [-o DIR]\n"
           "       ncpbench plot FIGURE FILE.h5 [-o DIR]\n\n"
           "Draws FIGURE, a file in plots/, from the records of a sweep, or the picture of a scene\n"
           "from a problem file, as PDF and PNG. The numbers drawn are kept beside it as .dat.\n\n"
           "  -o DIR    output folder, made if it is missing (default: figures)\n"
           "  --help    this text\n\n");
    nb_print_wrapped(known, 0, stdout);
    printf("\n\n"
           "A figure is one gnuplot file: plots/README.md says how to write one. The folder is\n"
           "found beside the program's own, or is the one named in NCPBENCH_PLOTS.\n");
}

static int refuse(const char *what, const char *word)
{
    fprintf(stderr, "ncpbench plot: %s '%s'; see ncpbench plot --help\n", what, word);
    return 2;
}

static int run(const char *figure, const char *input, const char *directory)
{
    struct nb_error error = {""};
    if (nb_plot(figure, NULL, 0, input, directory, stdout, &error) == NB_OK)
        return 0;
    fprintf(stderr, "ncpbench plot: %s\n", error.text);
    return 2;
}

int nb_command_plot(int argc, char **argv)
{
    const char *words[2] = {NULL, NULL}, *directory = "figures";
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help();
            return 0;
        }
        if (strcmp(argv[i], "-o") == 0) {
            if (++i == argc)
                return refuse("a folder must follow", "-o");
            directory = argv[i];
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return refuse("the options are -o and --help, not", argv[i]);
        } else if (count == 2) {
            return refuse("FIGURE and one file are enough, without", argv[i]);
        } else {
            words[count++] = argv[i];
        }
    }
    if (count < 2)
        return refuse("missing argument", count == 0 ? "FIGURE" : "RESULTS.jsonl or FILE.h5");
    return run(words[0], words[1], directory);
}
