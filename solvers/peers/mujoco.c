/* MuJoCo's constraint solvers (Todorov, Erez and Tassa 2012; Todorov 2014), on matrices of ours.
 *
 * MuJoCo minimises 1/2 (x - a)^T M (x - a) + s(J x - a_ref), whose dual is
 *
 *     min 1/2 f^T (J M^-1 J^T + R) f + f^T (J a - a_ref)   over the cones K,   R diagonal, above 0:
 *
 * the convex relaxation of Coulomb's law, in which what slides opens by mu times its slip, softened by R.
 * With x = v, a = M^-1 (force of the step) and a_ref = -w it is that of a linear step. Its interface
 * takes models of bodies; here a model of slide joints has the right tree of velocities, and the mass
 * matrix qM, the rows efc_J, efc_aref, efc_R, efc_D and the contacts are written into mjData before
 * mj_fwdConstraint is called. Global linear steps without bilateral rows. */
#include "solvers/peers/peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

enum { METHOD, REGULARISATION, SETTINGS };
const struct nb_setting nb_mujoco_settings[] = {
    [METHOD] = {.name = "method", .choices = "newton,cg,pgs",
                .meaning = "Newton's method, conjugate gradients or projected Gauss-Seidel"},
    [REGULARISATION] = {.name = "regularisation", .value = 1e-8, .minimum = 0, .maximum = 1,
                        .above_minimum = 1, .meaning = "R over the normal diagonal of W"},
    [SETTINGS] = {.name = NULL},
};

struct mujoco {
    const struct nb_problem *problem;
    mjModel *model;
    mjData *data;
};

static void release(void *self)
{
    struct mujoco *mujoco = self;
    if (mujoco->data)
        mj_deleteData(mujoco->data);
    if (mujoco->model)
        mj_deleteModel(mujoco->model);
    free(mujoco);
}

/* MuJoCo's own handlers write MUJOCO_LOG.TXT where the program runs; an error must not return. */
static void ignore_warning(const char *text)
{
    (void)text;
}

static void abort_on_error(const char *text)
{
    fprintf(stderr, "MuJoCo: %s\n", text);
    abort();
}

static enum nb_status check(const struct nb_problem *problem, struct nb_error *error)
{
    if (problem->form == NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "MuJoCo takes linear steps here: use --linearized");
    if (problem->form == NB_LINEAR_LOCAL)
        return nb_fail(error, NB_UNSUPPORTED,
                       "MuJoCo needs a mass matrix, which a local problem does not have");
    if (problem->linear.bilaterals > 0)
        return nb_fail(error, NB_UNSUPPORTED, "the %d bilateral rows are not handed to MuJoCo",
                       problem->linear.bilaterals);
    if (problem->linear.contacts == 0)
        return nb_fail(error, NB_UNSUPPORTED, "there is no contact to solve");
    return NB_OK;
}

/* The end of the run of velocities from `first` on that M couples with no later one. */
static int block_end(const struct nb_csr *mass, int first)
{
    int end = first + 1;
    for (int i = first; i < end; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            if (mass->column[k] >= end)
                end = mass->column[k] + 1;
    return end;
}

/* A model with one chain of bodies on slide joints for each block of M, so that qM has a place for every
 * entry of the block; up to three joints a body. What the bodies weigh is overwritten. */
static void write_model(const struct nb_linear_step *step, FILE *out)
{
    fprintf(out, "<mujoco><compiler autolimits=\"false\"/><size njmax=\"%d\" nconmax=\"%d\" "
            "nstack=\"%zu\"/><worldbody>\n", 3 * step->contacts, step->contacts,
            8 * ((size_t)step->dofs + 3 * (size_t)step->contacts + 64) *
                ((size_t)step->dofs + 64));
    for (int first = 0, end; first < step->dofs; first = end) {
        int bodies = 0;
        end = block_end(&step->mass, first);
        for (int i = first; i < end; ++i) {
            if ((i - first) % 3 == 0) {
                fprintf(out, "<body><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>");
                ++bodies;
            }
            fprintf(out, "<joint type=\"slide\" axis=\"%d %d %d\"/>", (i - first) % 3 == 0,
                    (i - first) % 3 == 1, (i - first) % 3 == 2);
        }
        while (bodies-- > 0)
            fprintf(out, "</body>");
        fprintf(out, "\n");
    }
    fprintf(out, "</worldbody></mujoco>\n");
}

static mjModel *compile(char *text, size_t size, struct nb_error *error)
{
    char reason[300] = "";
    mjModel *model = NULL;
    mjVFS *files = malloc(sizeof *files);
    if (!files)
        return NULL;
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "step.xml", (int)size) == 0) {
        memcpy(files->filedata[mj_findFileVFS(files, "step.xml")], text, size);
        model = mj_loadXML("step.xml", files, reason, sizeof reason);
    }
    if (!model)
        nb_fail(error, NB_BREAKDOWN, "MuJoCo: %s", reason);
    mj_deleteVFS(files);
    free(files);
    return model;
}

static enum nb_status make_model(struct mujoco *mujoco, struct nb_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo's model");
    write_model(&mujoco->problem->linear, out);
    fclose(out);
    nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo's model");
    mujoco->model = compile(text, size, error);
    free(text);
    if (!mujoco->model)
        return NB_BREAKDOWN;
    mujoco->data = mj_makeData(mujoco->model);
    return mujoco->data ? NB_OK
                        : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo's data");
}

static double entry(const struct nb_csr *matrix, int row, int column)
{
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
        if (matrix->column[k] == column)
            return matrix->value[k];
    return 0;
}

/* qM, its factor, the free velocity. The symmetric part of M is taken. */
static enum nb_status fill_mass(struct mujoco *mujoco, struct nb_error *error)
{
    const struct nb_linear_step *step = &mujoco->problem->linear;
    mjModel *model = mujoco->model;
    mjData *data = mujoco->data;
    double total = 0;
    for (int i = 0; i < model->nv; ++i) {
        int place = model->dof_Madr[i];
        model->dof_simplenum[i] = 0; /* no part of M is known to be diagonal */
        total += entry(&step->mass, i, i);
        for (int j = i; j >= 0; j = model->dof_parentid[j])
            data->qM[place++] = (entry(&step->mass, i, j) + entry(&step->mass, j, i)) / 2;
    }
    model->stat.meaninertia = total / model->nv;
    mj_factorM(model, data);
    for (int i = 0; i < model->nv; ++i)
        if (!(data->qLD[model->dof_Madr[i]] > 0))
            return nb_fail(error, NB_BREAKDOWN, "MuJoCo: the factor of M is not positive");
    memcpy(data->qfrc_smooth, step->force, (size_t)model->nv * sizeof(mjtNum));
    mj_solveM(model, data, data->qacc_smooth, data->qfrc_smooth, 1);
    return NB_OK;
}

/* R and D of the three rows, R the same in all: then the regularised cone is the cone. */
static void fill_softness(struct mujoco *mujoco, int contact, double regularisation,
                          mjtNum *work)
{
    mjData *data = mujoco->data;
    const int nv = mujoco->model->nv, first = 3 * contact;
    const mjtNum *normal = data->efc_J + (size_t)first * (size_t)nv;
    mj_solveM(mujoco->model, data, work, normal, 1);
    const double diagonal = mju_dot(work, normal, nv);
    const double softness = fmax(regularisation * (diagonal > 0 ? diagonal : 1), mjMINVAL);
    for (int r = first; r < first + 3; ++r) {
        data->efc_R[r] = softness;
        data->efc_D[r] = 1 / softness;
    }
}

static void fill_contact(mjData *data, int contact, double friction)
{
    mjContact *to = data->contact + contact;
    memset(to, 0, sizeof *to);
    to->dim = 3;
    to->efc_address = 3 * contact;
    to->mu = fmax(friction, mjMINMU);
    for (int k = 0; k < 5; ++k)
        to->friction[k] = to->mu;
    for (int k = 0; k < 3; ++k) {
        data->efc_type[3 * contact + k] = mjCNSTR_CONTACT_ELLIPTIC;
        data->efc_id[3 * contact + k] = contact;
    }
}

static enum nb_status fill_rows(struct mujoco *mujoco, double regularisation,
                                struct nb_error *error)
{
    const struct nb_linear_step *step = &mujoco->problem->linear;
    const struct nb_csr *jacobian = &step->contact_jacobian;
    mjData *data = mujoco->data;
    const size_t nv = (size_t)mujoco->model->nv, rows = 3 * (size_t)step->contacts;
    mjtNum *work = malloc((nv + 1) * sizeof *work);
    if (!work)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo's rows");
    memset(data->efc_J, 0, rows * nv * sizeof(mjtNum));
    for (size_t r = 0; r < rows; ++r) {
        for (int k = jacobian->start[r]; k < jacobian->start[r + 1]; ++k)
            data->efc_J[r * nv + (size_t)jacobian->column[k]] = jacobian->value[k];
        data->efc_aref[r] = -step->contact_velocity[r];
        data->efc_frictionloss[r] = 0;
    }
    data->nefc = (int)rows;
    data->ne = data->nf = 0;
    data->ncon = step->contacts;
    for (int c = 0; c < step->contacts; ++c) {
        fill_contact(data, c, step->friction[c]);
        fill_softness(mujoco, c, regularisation, work);
    }
    free(work);
    mj_projectConstraint(mujoco->model, data); /* J M^-1 J^T + R, where the solver wants it */
    return NB_OK;
}

static void set_options(mjModel *model, int method)
{
    static const int solvers[] = {mjSOL_NEWTON, mjSOL_CG, mjSOL_PGS};
    model->opt.solver = solvers[method];
    model->opt.cone = mjCONE_ELLIPTIC;
    model->opt.jacobian = mjJAC_DENSE;
    model->opt.tolerance = 0; /* the harness judges */
    model->opt.impratio = 1;
    model->opt.noslip_iterations = 0;
    model->opt.disableflags |= mjDSBL_WARMSTART;
}

static enum nb_status create(void **self, const struct nb_problem *problem, const double *value,
                             struct nb_error *error)
{
    enum nb_status status = check(problem, error);
    if (status)
        return status;
    struct mujoco *mujoco = calloc(1, sizeof *mujoco);
    if (!mujoco)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo");
    mujoco->problem = problem;
    mju_user_warning = ignore_warning;
    mju_user_error = abort_on_error;
    status = make_model(mujoco, error);
    if (!status) {
        set_options(mujoco->model, (int)value[METHOD]);
        status = fill_mass(mujoco, error);
    }
    if (!status)
        status = fill_rows(mujoco, value[REGULARISATION], error);
    if (status)
        release(mujoco);
    else
        *self = mujoco;
    return status;
}

static int solve(void *self, int iterations, double *untimed)
{
    struct mujoco *mujoco = self;
    (void)untimed;
    mujoco->model->opt.iterations = iterations;
    mj_fwdConstraint(mujoco->model, mujoco->data);
    return mujoco->data->solver_iter;
}

static void solution(void *self, double *r, double *u)
{
    const struct mujoco *mujoco = self;
    const size_t rows = 3 * (size_t)mujoco->problem->linear.contacts;
    memcpy(r, mujoco->data->efc_force, rows * sizeof *r);
    memcpy(u, mujoco->data->qacc, (size_t)mujoco->model->nv * sizeof *u);
}

const struct nb_peer_contact nb_peer_mujoco = {
    .library = "MuJoCo", .create = create, .solve = solve, .solution = solution, .free = release};
