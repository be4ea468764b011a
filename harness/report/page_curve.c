/* How a setting's values stand to the best (harness/report/curve.h): in HTML the picture, below which the page's script
 * writes the tables from the page's data; in Markdown the tables. */
#include <math.h>

#include "harness/figures/figure.h"
#include "harness/report/curve.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"

enum nb_status nb_page_curve(const struct nb_page *page, FILE *stream, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    if (!page->curve)
        return NB_OK;
    fputs("<section id=curve>\n", stream);
    if (page->curve_picture) {
        fputs("<div class=figures><figure id=over>", stream);
        status = nb_svg_print(page->curve_picture, stream, error);
        fputs("<figcaption>Time to the tolerance and iterations over those at the best value, in the geometric mean "
              "over all problems, with the 95 % interval of the time, and of each problem. Full: the best, and what "
              "cannot be told from it.</figcaption></figure></div>\n",
              stream);
    }
    fputs("</section>\n", stream);
    return status;
}

void nb_markdown_curve(const struct nb_curve *curve, FILE *stream)
{
    for (int p = 0; p < 2 && curve; ++p) {
        const struct nb_curve_part *part = &curve->part[p];
        if (!part->any)
            continue;
        fputs("\n| ", stream);
        nb_markdown_code(stream, curve->setting);
        fprintf(stream, ", on %s | against the best | solves | time / the best's | iterations | linear | why it fails "
                        "|\n|---|---|---:|---:|---:|---:|---|\n",
                nb_curve_part_name(p));
        for (int v = 0; v < curve->count; ++v) {
            const struct nb_curve_point *point = &part->point[v];
            char verdict[100];
            nb_curve_verdict(part, v, verdict, sizeof verdict);
            fputs("| ", stream);
            nb_markdown_code(stream, curve->value[v].text);
            fprintf(stream, " | %s | %d of %d | %s | %s | %s | ", verdict, point->solved, point->cases,
                    isfinite(point->time.value) ? nb_text_ratio(point->time.value) : "–",
                    isfinite(point->iterations) ? nb_text_ratio(point->iterations) : "–",
                    isfinite(point->linear) ? nb_text_ratio(point->linear) : "–");
            nb_markdown_text(stream, point->reason);
            fputs(" |\n", stream);
        }
        fputc('\n', stream);
        nb_markdown_text(stream, part->sentence);
        fputc('\n', stream);
    }
}
