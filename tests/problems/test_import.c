/* Models that MuJoCo reads, as steps of ours, against MuJoCo's own numbers: M, the rows of constraints and
 * forces. */
#include "tests/support/folder.h"

#include "problems/import/import.h"

#ifndef NB_IMPORT
TEST(import_is_refused_without_mujoco)
{
    struct nb_import request = {.model = "data/models/humanoid.xml", .copies = 1};
    struct nb_import_report report;
    struct nb_problem problem;
    assert_refused(nb_import_model(&request, &problem, &report, &why), NB_UNSUPPORTED, "libmujoco-dev");
    assert_null(nb_import_version());
    print_message("built without MuJoCo: import is not tested\n");
}
#else

#include "tests/problems/import_models.h"
#include "tests/problems/import_pair.h"
#include "tests/support/near.h"
#include "tests/support/same_problem.h"

#include <pthread.h>
#include <sys/stat.h>

/* A row of efc_J, whichever way it is stored. */
static void constraint_row(const struct pair *pair, int row, double *out)
{
    const mjData *data = pair->data;
    const int nv = pair->model->nv;
    memset(out, 0, (size_t)nv * sizeof *out);
    if (!mj_isSparse(pair->model))
        memcpy(out, data->efc_J + (size_t)row * (size_t)nv, (size_t)nv * sizeof *out);
    for (int k = 0; mj_isSparse(pair->model) && k < data->efc_J_rownnz[row]; ++k)
        out[data->efc_J_colind[data->efc_J_rowadr[row] + k]] = data->efc_J[data->efc_J_rowadr[row] + k];
}

/* Rows that are sums of a few products differ by rounding at the size of a product. */
static void same_row(const struct pair *pair, const double *theirs, int row, const double *ours)
{
    for (int i = 0; i < pair->model->nv; ++i)
        if (!(fabs(theirs[i] - ours[i]) <= 1e-13))
            fail_msg("%s, row %d: entry %d is %.17g, MuJoCo has %.17g", pair->problem.name, row, i, ours[i], theirs[i]);
}

static void our_row(const struct nb_csr *matrix, int row, double factor, double *out)
{
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
        out[matrix->column[k]] += factor * matrix->value[k];
}

static void same_mass(const struct pair *pair)
{
    const int nv = pair->model->nv;
    OWNS(free_at) double *full = calloc((size_t)nv * (size_t)nv, sizeof *full);
    mj_fullM(pair->model, full, pair->data->qM);
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nv; ++j)
            if (nb_csr_entry(&pair->problem.linear.mass, i, j) != full[i * nv + j])
                fail_msg("%s: M[%d, %d] is not MuJoCo's", pair->problem.name, i, j);
}

/* Of one contact MuJoCo has n, n and t_k, or pyramids n +- mu_k t_k; with mu the larger one, ours is mu_k/mu t_k. */
static void same_contact(const struct pair *pair, const mjContact *contact, int at)
{
    const struct nb_linear_step *step = &pair->problem.linear;
    const int nv = pair->model->nv, elliptic = pair->model->opt.cone == mjCONE_ELLIPTIC;
    double *theirs = calloc(2 * (size_t)nv, sizeof *theirs), *ours = theirs + nv;
    const double mu = step->friction[at];
    assert_true(step->contact_velocity[3 * at] == contact->dist / pair->model->opt.timestep);
    assert_true(mu == (contact->dim > 1 ? fmax(contact->friction[0], contact->friction[1]) : 0));
    const int rows = contact->dim == 1 ? 1 : elliptic ? 3 : 4;
    for (int row = 0; contact->efc_address >= 0 && row < rows; ++row) {
        const int tangent = elliptic ? row : row / 2 + 1;
        memset(ours, 0, (size_t)nv * sizeof *ours);
        constraint_row(pair, contact->efc_address + row, theirs);
        if (rows == 1 || (elliptic && row == 0))
            our_row(&step->contact_jacobian, 3 * at, 1, ours);
        else if (elliptic)
            our_row(&step->contact_jacobian, 3 * at + row, mu / contact->friction[tangent - 1], ours);
        else {
            our_row(&step->contact_jacobian, 3 * at, 1, ours);
            our_row(&step->contact_jacobian, 3 * at + tangent, row % 2 ? -mu : mu, ours);
        }
        same_row(pair, theirs, 3 * at, ours);
    }
    free(theirs);
}

/* Whether the bodies' velocities along the normal cancel to rounding, and the contact is not deep. */
static bool is_still(const struct pair *pair, const mjContact *contact)
{
    const int nv = pair->model->nv, *body = pair->model->geom_bodyid;
    double *jacobian = calloc(6 * (size_t)nv, sizeof *jacobian), *other = jacobian + 3 * nv, largest = 0;
    mj_jac(pair->model, pair->data, jacobian, NULL, contact->pos, body[contact->geom1]);
    mj_jac(pair->model, pair->data, other, NULL, contact->pos, body[contact->geom2]);
    for (int i = 0; i < nv; ++i) {
        double normal = 0;
        for (int c = 0; c < 3; ++c)
            normal += contact->frame[c] * (other[c * nv + i] - jacobian[c * nv + i]);
        largest = fmax(largest, fabs(normal));
    }
    free(jacobian);
    return largest < 1e-12 && contact->dist > -1e-12;
}

static int same_contacts(const struct pair *pair)
{
    int at = 0, still = 0;
    for (int i = 0; i < pair->data->ncon; ++i)
        if (pair->data->contact[i].exclude <= 1 && is_still(pair, &pair->data->contact[i]))
            ++still;
        else if (pair->data->contact[i].exclude <= 1)
            same_contact(pair, &pair->data->contact[i], at++);
    assert_int_equal(at, pair->problem.drawing.count);
    assert_int_equal(still, pair->report.still_dropped);
    assert_int_equal(at, pair->report.contacts);
    return at;
}

/* Limits follow the contacts, with empty tangents; equality rows without those of rounding. */
static void same_others(const struct pair *pair, int contacts)
{
    const struct nb_linear_step *step = &pair->problem.linear;
    const mjData *data = pair->data;
    const int nv = pair->model->nv;
    double *theirs = calloc(2 * (size_t)nv, sizeof *theirs), *ours = theirs + nv;
    int limit = contacts, equality = 0, empty = 0;
    for (int row = 0; row < data->nefc; ++row) {
        const int type = data->efc_type[row], bounds = type == mjCNSTR_LIMIT_JOINT || type == mjCNSTR_LIMIT_TENDON;
        double largest = 0;
        memset(ours, 0, (size_t)nv * sizeof *ours);
        constraint_row(pair, row, theirs);
        for (int i = 0; i < nv; ++i)
            largest = fmax(largest, fabs(theirs[i]));
        if (bounds) {
            our_row(&step->contact_jacobian, 3 * limit, 1, ours);
            assert_int_equal(step->contact_jacobian.start[3 * limit + 1], step->contact_jacobian.start[3 * limit + 3]);
            assert_true(step->contact_velocity[3 * limit] == data->efc_pos[row] / pair->model->opt.timestep);
            assert_true(step->friction[limit++] == 0);
        } else if (type == mjCNSTR_EQUALITY && largest > 1e-12) {
            assert_true(step->bilateral_velocity[equality] == data->efc_pos[row] / pair->model->opt.timestep);
            our_row(&step->bilateral_jacobian, equality++, 1, ours);
        }
        empty += type == mjCNSTR_EQUALITY && largest <= 1e-12;
        if (bounds || (type == mjCNSTR_EQUALITY && largest > 1e-12))
            same_row(pair, theirs, row, ours);
    }
    assert_int_equal(limit, step->contacts);
    assert_int_equal(equality, step->bilaterals);
    assert_int_equal(empty, pair->report.empty_rows_dropped);
    assert_int_equal(data->nf, pair->report.dry_friction_dropped);
    free(theirs);
}

/* M^-1 f is MuJoCo's velocity without constraints. */
static void same_force(const struct pair *pair)
{
    const struct nb_linear_step *step = &pair->problem.linear;
    const int nv = pair->model->nv;
    double *free_velocity = calloc(2 * (size_t)nv, sizeof *free_velocity), *product = free_velocity + nv, largest = 0;
    for (int i = 0; i < nv; ++i)
        free_velocity[i] = pair->data->qvel[i] + pair->model->opt.timestep * pair->data->qacc_smooth[i];
    nb_csr_multiply(&step->mass, free_velocity, product, 0);
    for (int i = 0; i < nv; ++i)
        largest = fmax(largest, fabs(product[i]));
    same_bytes("qvel", pair->problem.motion.velocity, pair->data->qvel, (size_t)nv * sizeof(double));
    same_bytes("qfrc_smooth", pair->problem.motion.force, pair->data->qfrc_smooth, (size_t)nv * sizeof(double));
    for (int i = 0; i < nv; ++i)
        assert_near(step->force[i], product[i], 1e-12 * largest);
    free(free_velocity);
}

TEST(a_step_is_mujocos)
{
    int limits = 0, equalities = 0, condim = 0;
    for (int i = 0; i < IMPORT_MODELS; ++i) {
        struct pair pair;
        import(&pair, import_models[i].path, import_models[i].step);
        same_mass(&pair);
        same_others(&pair, same_contacts(&pair));
        same_force(&pair);
        assert_true(pair.problem.time_step == pair.model->opt.timestep);
        assert_int_equal(pair.problem.step, import_models[i].step);
        assert_int_equal(nb_problem_validate(&pair.problem, NULL), NB_OK);
        limits += pair.report.limits;
        equalities += pair.report.equality_rows;
        condim += pair.report.torsional_dropped;
        release(&pair);
    }
    assert_true(limits > 0 && equalities > 0 && condim > 0);
}

/* Rows may be stored compressed. Tendons and ball joints have limits, too; joints and frames equality constraints. */
TEST_IN_FOLDER(compressed_rows_are_mujocos)
{
    static const char text[] =
        "<mujoco><option jacobian='%s'/><worldbody><geom type='plane' size='2 2 1'/>"
        "<body pos='0 0 0.1'><joint name='a' axis='0 1 0'/><geom size='0.1'/>"
        "<body pos='0.3 0 0'><joint name='b' axis='0 1 0'/><geom size='0.1'/>"
        "<body pos='0.3 0 0'><joint type='ball' limited='true' range='0 0.01'/><geom size='0.1'/></body>"
        "</body></body><body name='c' pos='0 1 1'><freejoint/><geom size='0.05'/></body>"
        "<body name='d' pos='0 1.2 1'><freejoint/><geom size='0.05'/></body></worldbody>"
        "<tendon><fixed limited='true' range='-0.001 0.001'><joint joint='a' coef='1'/>"
        "<joint joint='b' coef='-2'/></fixed></tendon><equality>"
        "<joint joint1='a' joint2='b' polycoef='0 1 0 0 0'/><weld body1='c' body2='d'/></equality></mujoco>";
    struct pair pair[2];
    for (int i = 0; i < 2; ++i) {
        char model[2000];
        snprintf(model, sizeof model, text, i ? "sparse" : "dense");
        import(&pair[i], model_of(model), 60);
        assert_int_equal(mj_isSparse(pair[i].model), i);
        same_others(&pair[i], same_contacts(&pair[i]));
    }
    assert_true(pair[0].report.limits > 0);
    assert_int_equal(pair[0].report.equality_rows, 7);
    release(&pair[0]);
    release(&pair[1]);
}

static void import_randomly(int seed, int copies, struct nb_problem *problem, struct nb_import_report *report)
{
    const struct nb_import request = {.model = "data/models/humanoid.xml", .step = 200, .random = true, .seed = seed,
                                      .copies = copies};
    assert_ok(nb_import_model(&request, problem, report, &why));
    free(report->pair); /* counts alone are compared */
    report->pair = NULL;
}

/* The same seed gives the same bits, another one another step; copies are the steps of their seeds. */
TEST(copies_are_the_steps_of_their_seeds)
{
    enum { COPIES = 3 };
    struct nb_problem one[COPIES], again, all;
    struct nb_import_report report;
    int contact = 0, limit, dofs = 0;
    for (int k = 0; k < COPIES; ++k)
        import_randomly(4 + k, 1, &one[k], &report);
    import_randomly(5, 1, &again, &report);
    same_linear(&one[1].linear, &again.linear);
    assert_true(memcmp(one[0].linear.force, one[1].linear.force, sizeof(double) * (size_t)one[0].linear.dofs) != 0);
    import_randomly(4, COPIES, &all, &report);
    assert_int_equal(nb_problem_validate(&all, NULL), NB_OK);
    assert_int_equal(report.bodies, 13 * COPIES);
    assert_int_equal(report.joints, 12 * COPIES);
    assert_int_equal(report.islands, COPIES);
    limit = report.contacts;
    for (int k = 0; k < COPIES; ++k) {
        const struct nb_linear_step *part = &one[k].linear, *whole = &all.linear;
        for (int i = 0; i < part->dofs; ++i) {
            assert_true(part->force[i] == whole->force[dofs + i]);
            for (int j = 0; j < part->dofs; ++j)
                assert_true(nb_csr_entry(&part->mass, i, j) == nb_csr_entry(&whole->mass, dofs + i, dofs + j));
        }
        for (int i = 0; i < part->contacts; ++i) {
            const int at = i < one[k].drawing.count ? contact++ : limit++;
            assert_true(part->friction[i] == whole->friction[at]);
            for (int r = 0; r < 3; ++r) {
                assert_true(part->contact_velocity[3 * i + r] == whole->contact_velocity[3 * at + r]);
                for (int j = 0; j < part->dofs; ++j)
                    assert_true(nb_csr_entry(&part->contact_jacobian, 3 * i + r, j) ==
                                nb_csr_entry(&whole->contact_jacobian, 3 * at + r, dofs + j));
            }
        }
        dofs += part->dofs;
        nb_problem_free(&one[k]);
    }
    assert_int_equal(contact, all.drawing.count);
    assert_int_equal(limit, all.linear.contacts);
    assert_int_equal(dofs, all.linear.dofs);
    nb_problem_free(&again);
    nb_problem_free(&all);
}

/* The handlers of a host program are its own again, and its locale does not matter. */
static void host_warning(const char *text) { (void)text; }

TEST_IN_FOLDER(the_host_keeps_its_handlers)
{
    const struct nb_import bad = {.model = model_of("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"),
                                  .copies = 1};
    struct nb_problem problem;
    struct nb_import_report report;
    mju_user_warning = host_warning;
    assert_int_equal(nb_import_model(&bad, &problem, &report, &why), NB_BAD_INPUT);
    nb_import_report_free(&report);
    assert_ptr_equal(mju_user_warning, host_warning);
    assert_null(mju_user_error);
    mju_user_warning = NULL;
}

/* What a model names and a repository has not fetched is told by its name, beside the model and in its folders. */
TEST_IN_FOLDER(a_mesh_that_is_a_pointer_is_told)
{
    static const char *const models[] = {
        "<mujoco><include file='parts/m.stl'/></mujoco>",
        "<mujoco><compiler meshdir=\"parts\"/><asset><mesh name='m' file = \"m.stl\"/></asset><worldbody><body>"
        "<freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"};
    assert_int_equal(mkdir(test_path(&folder, "parts"), 0777), 0);
    test_write(test_path(&folder, "parts/m.stl"), "version https://git-lfs.github.com/spec/v1\n");
    for (int i = 0; i < 2; ++i) {
        const struct nb_import request = {.model = model_of(models[i]), .copies = 1};
        struct nb_problem problem;
        struct nb_import_report report;
        assert_refused(nb_import_model(&request, &problem, &report, &why), NB_BAD_FILE, "parts/m.stl: is not the file");
        nb_import_report_free(&report);
    }
}

/* Every other thread imports a model that has an error. */
static void *import_in_thread(void *context)
{
    const int odd = *(int *)context % 2;
    const struct nb_import request = {.model = odd ? "data/problems.list" : "data/models/hand.xml", .step = 30,
                                      .copies = 1};
    struct nb_problem problem;
    struct nb_import_report report;
    for (int k = 0; k < 5; ++k) {
        const enum nb_status status = nb_import_model(&request, &problem, &report, &why);
        if (odd ? status == NB_OK : status != NB_OK || report.contacts == 0)
            *(int *)context = -1;
        nb_import_report_free(&report);
        nb_problem_free(&problem);
    }
    return NULL;
}

TEST(threads_import_in_turn)
{
    pthread_t thread[4];
    int number[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, import_in_thread, &number[i]), 0);
    for (int i = 0; i < 4; ++i) {
        pthread_join(thread[i], NULL);
        assert_int_equal(number[i], i);
    }
    assert_null(mju_user_error);
    assert_null(mju_user_warning);
}
#endif
