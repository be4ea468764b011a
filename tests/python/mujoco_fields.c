/* What MjModel and MjData have in Python, of MuJoCo 2.2.2: MODEL.xml, after that many steps and mj_forward, as lines
 * "model|data|contact NAME d|i COUNT", each followed by so many numbers. test_mujoco.py reads it. */
#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>
#include <mujoco/mjxmacro.h>

static void put(const char *of, const char *name, int whole, const void *array, size_t count)
{
    printf("%s %s %c %zu\n", of, name, whole ? 'i' : 'd', count);
    fwrite(array, whole ? sizeof(int) : sizeof(double), count, stdout);
}

#define WHOLE(pointer) _Generic(pointer, int *: 1, mjtNum *: 0, default: -1)

static void put_model(const mjModel *m)
{
    MJMODEL_POINTERS_PREAMBLE(m)
#define X(type, name, rows, columns) \
    if (WHOLE(m->name) >= 0) \
        put("model", #name, WHOLE(m->name), m->name, (size_t)m->rows * (size_t)(columns));
    MJMODEL_POINTERS
#undef X
    put("model", "timestep", 0, &m->opt.timestep, 1);
    put("model", "nv", 1, &m->nv, 1);
    put("model", "jacobian", 1, &m->opt.jacobian, 1);
}

static void put_data(const mjModel *m, const mjData *d)
{
    MJDATA_POINTERS_PREAMBLE(m)
#define X(type, name, rows, columns) \
    if (WHOLE(d->name) >= 0) \
        put("data", #name, WHOLE(d->name), d->name, (size_t)m->rows * (size_t)(columns));
    MJDATA_POINTERS
#undef X
    put("data", "ncon", 1, &d->ncon, 1);
    put("data", "nefc", 1, &d->nefc, 1);
    put("data", "nf", 1, &d->nf, 1);
}

static void put_contact(const mjContact *c)
{
    put("contact", "dist", 0, &c->dist, 1);
    put("contact", "pos", 0, c->pos, 3);
    put("contact", "frame", 0, c->frame, 9);
    put("contact", "friction", 0, c->friction, 5);
    put("contact", "dim", 1, &c->dim, 1);
    put("contact", "geom", 1, (const int[]){c->geom1, c->geom2}, 2);
    put("contact", "exclude", 1, &c->exclude, 1);
    put("contact", "efc_address", 1, &c->efc_address, 1);
}

int main(int argc, char **argv)
{
    char reason[1000] = "";
    mjModel *model = argc == 4 ? mj_loadXML(argv[1], NULL, reason, sizeof reason) : NULL;
    if (!model)
        return fprintf(stderr, "%s\n", reason), 2;
    mjData *data = mj_makeData(model);
    for (int step = atoi(argv[2]); step > 0; --step)
        mj_step(model, data);
    if (atoi(argv[3]))
        mj_forward(model, data);
    put_model(model);
    put_data(model, data);
    for (int i = 0; i < data->ncon; ++i)
        put_contact(&data->contact[i]);
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
