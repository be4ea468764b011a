/* The linear system behind the floors, of random problems: its rows are derivatives of the residual, and the
 * estimated norm of its inverse is close to the exact one. */
#include "harness/floor/floor_private.h"
#include "tests/support/numbers.h"

static struct nb_options options_of(const char *form)
{
    const struct nb_options options = {.ncp = "fb", .scaling = "mass", .newton_form = form, .shift = 1e-6};
    return options;
}

/* A random coupled problem: global with bilaterals, or local with a W that is not symmetric. */
static void random_problem(struct nb_problem *problem, int contacts, int bilaterals, int local)
{
    const int rows = 3 * contacts + bilaterals, dofs = 2 * rows;
    const int side = local ? rows : dofs;
    const size_t room = (size_t)(20 * (dofs + rows));
    int *row = calloc(room, sizeof *row), *column = calloc(room, sizeof *column), count = 0;
    OWNS(free_at) double *value = zeros((int)room);
    memset(problem, 0, sizeof *problem);
    problem->form = local ? NB_LINEAR_LOCAL : NB_LINEAR_GLOBAL;
    problem->time_step = 0.1;
    struct nb_linear_step *linear = &problem->linear;
    linear->dofs = local ? 0 : dofs;
    linear->contacts = contacts;
    linear->bilaterals = bilaterals;
    for (int i = 0; i < side; ++i) {
        row[count] = column[count] = i;
        value[count++] = 4 + uniform();
        for (int k = 1; k < 4 && i >= 7 * k; ++k) {
            row[count] = column[count + 1] = i;
            column[count] = row[count + 1] = i - 7 * k;
            value[count] = value[count + 1] = 0.6 * uniform();
            if (local)
                value[count] *= 1 + 1e-3 * uniform();
            count += 2;
        }
    }
    nb_csr_from_triplets(local ? &linear->delassus : &linear->mass, side, side, count, row, column,
                         value, NULL);
    for (int part = 0; part < 2 && !local; ++part) {
        struct nb_csr *matrix = part ? &linear->bilateral_jacobian : &linear->contact_jacobian;
        const int height = part ? bilaterals : 3 * contacts;
        count = 0;
        for (int i = 0; i < 4 * height; ++i) {
            row[count] = i / 4;
            column[count] = (part * 3 * contacts + i / 4 + i % 4 * 11) % dofs;
            value[count++] = uniform() + (i % 4 ? 0 : 2);
        }
        nb_csr_from_triplets(matrix, height, dofs, count, row, column, value, NULL);
    }
    linear->force = zeros(dofs);
    linear->contact_velocity = zeros(3 * contacts);
    linear->bilateral_velocity = zeros(bilaterals);
    linear->friction = zeros(contacts);
    for (int i = 0; i < 3 * contacts; ++i)
        linear->contact_velocity[i] = uniform();
    for (int i = 0; i < contacts; ++i)
        linear->friction[i] = 0.5;
    free(row);
    free(column);
}

/* In the normal rows A is the derivative of the residual, everywhere it exists. */
TEST(test_normal_rows_are_derivatives)
{
    seed = 24;
    OWNS(nb_problem_free) struct nb_problem problem;
    random_problem(&problem, 6, 2, 0);
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    const double e = 1e-6, h = problem.time_step;
    OWNS(free_at) double *u = zeros(dofs), *lambda = zeros(rows);
    for (int i = 0; i < dofs; ++i)
        u[i] = uniform();
    for (int i = 0; i < rows; ++i) /* inside the cones, where nothing is clipped */
        lambda[i] = i < 2 ? uniform() : (i - 2) % 3 ? uniform() / 4 : 3 + 2 * uniform();
    for (int form = 0; form < 2; ++form) {
        const struct nb_options options = options_of(form ? "true" : "scaled");
        OWNS(nb_floor_system_free) struct nb_floor_system at;
        assert_int_equal(nb_floor_system_build(&at, &problem, &options, u, lambda, NULL), NB_OK);
        OWNS(free_at) double *direction = zeros(at.size), *product = zeros(at.size);
        for (int i = 0; i < at.size; ++i)
            direction[i] = uniform();
        nb_csr_multiply(&at.matrix, direction, product, 0);
        struct nb_floor_system moved[2];
        const struct nb_options scaled = options_of("scaled");
        OWNS(nb_floor_system_free) struct nb_floor_system plain;
        assert_int_equal(nb_floor_system_build(&plain, &problem, &scaled, u, lambda, NULL), NB_OK);
        for (int side = 0; side < 2; ++side) {
            const double step = side ? -e : e;
            for (int i = 0; i < at.size; ++i)
                *(i < dofs ? u + i : lambda + i - dofs) += step * direction[i] / (i < dofs ? 1 : h);
            assert_int_equal(
                nb_floor_system_build(&moved[side], &problem, &scaled, u, lambda, NULL), NB_OK);
            for (int i = 0; i < at.size; ++i)
                *(i < dofs ? u + i : lambda + i - dofs) -= step * direction[i] / (i < dofs ? 1 : h);
        }
        for (int row = dofs; row < at.size; ++row) {
            if (row >= dofs + 2 && (row - dofs - 2) % 3)
                continue; /* friction rows hold Gamma fixed */
            /* The true form is the scaled row divided by alpha. */
            const double alpha = form ? plain.row_scale[row - dofs] : 1;
            const double difference =
                (moved[0].residual[row] - moved[1].residual[row]) / (2 * e * alpha);
            assert_true(fabs(product[row] - difference) < 1e-6 * (1 + fabs(product[row])));
            assert_true(fabs(at.residual[row] * alpha - plain.residual[row]) < 1e-13);
        }
        for (int side = 0; side < 2; ++side)
            nb_floor_system_free(&moved[side]);
    }
}

/* The estimate is a lower bound and close to the truth, for every form. */
TEST(test_estimate_against_exact)
{
    seed = 25;
    for (int trial = 0; trial < 8; ++trial) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(nb_floor_system_free) struct nb_floor_system system;
        double exact, estimate;
        random_problem(&problem, 30, trial / 2 % 2 * 5, trial % 2);
        const struct nb_options options = options_of(trial / 4 ? "true" : "scaled");
        OWNS(free_at) double *u = zeros(nb_problem_dofs(&problem));
        OWNS(free_at) double *lambda = zeros(nb_problem_multipliers(&problem));
        for (int i = 0; i < nb_problem_multipliers(&problem); ++i)
            lambda[i] = 2 + uniform();
        assert_int_equal(nb_floor_system_build(&system, &problem, &options, u, lambda, NULL),
                         NB_OK);
        for (int k = 0; k < 2; ++k) {
            const double shift = k * 1e-3;
            assert_int_equal(nb_floor_inverse_exact(&system, shift, &exact, NULL), NB_OK);
            assert_int_equal(nb_floor_inverse_estimate(&system, shift, &estimate, NULL), NB_OK);
            assert_true(isfinite(exact));
            assert_true(estimate <= exact * (1 + 1e-6));
            assert_true(estimate >= exact / 3);
        }
    }
}
