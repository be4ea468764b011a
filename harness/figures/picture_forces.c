/* Contact points and contact forces on a picture. Each contact point is marked by whether something hides it. A
 * contact's force F = lambda_n n + lambda_t1 t1 + lambda_t2 t2 is an arrow from the contact point; of many
 * contacts those of two bodies are added up, and the arrow begins at their centre of pressure
 * sum lambda_n x / sum lambda_n. */
#include <math.h>

#include "harness/figures/picture.h"
#include "problems/base/vec3.h"
#include "problems/surface.h"

/* Adds F = lambda_n n + lambda_t1 t1 + lambda_t2 t2 [N], which acts on side a, and the point of
 * contact i weighted by lambda_n; returns lambda_n. */
static double add_force(const struct nb_picture *picture, int i, double *force, double *moment)
{
    const double *frame = nb_contact_axes(picture->problem, i);
    const double *lambda = picture->lambda + nb_problem_bilaterals(picture->problem) + 3 * i;
    double point[3];
    for (int k = 0; k < 3; ++k)
        nb_add_scaled3(force, lambda[k], frame + 3 * k, force);
    nb_contact_point(picture->problem, i, 0, point);
    nb_add_scaled3(moment, fmax(lambda[0], 0), point, moment);
    return fmax(lambda[0], 0);
}

/* More contacts than this would cover the picture; neither they nor their forces are drawn. */
static const int most_contacts = 5000;

static int drawn_contacts(const struct nb_picture *picture)
{
    const int count = nb_contacts_placed(picture->problem);
    return count > most_contacts ? 0 : count;
}

void nb_picture_contacts(struct nb_picture *picture)
{
    fputs("# contact points: x [m], y [m], hidden\n", picture->data);
    for (int i = 0; i < drawn_contacts(picture); ++i) {
        double point[3], xy[2];
        nb_contact_point(picture->problem, i, 0, point);
        nb_camera_project(&picture->camera, point, xy);
        fprintf(picture->data, "%.9g %.9g %d\n", xy[0], xy[1],
                nb_stage_hides(&picture->stage, &picture->camera, point));
    }
    fputs("NaN NaN NaN\n\n\n", picture->data);
}

/* More single forces than this hide each other. */
static const int most_single_forces = 60;

/* The body of a side, rigid or deformable; -1 for the world. */
static int body_of(const struct nb_picture *picture, int contact, int side)
{
    const struct nb_contacts *contacts = &picture->problem->contacts;
    if (picture->problem->drawing.count > 0)
        return picture->problem->drawing.body[2 * contact + side];
    const int particle = contacts->particle ? contacts->particle[6 * contact + 3 * side] : -1;
    return particle < 0 ? contacts->body[2 * contact + side]
                        : picture->problem->bodies.count + picture->deformable.particle[particle];
}

/* Whether contact j belongs to the arrow of contact i: to the same two bodies, or, where forces are
 * drawn one by one, is the same. */
static int same_arrow(const struct nb_picture *picture, int i, int j)
{
    return i == j || (nb_contacts_placed(picture->problem) > most_single_forces &&
                      body_of(picture, i, 0) == body_of(picture, j, 0) &&
                      body_of(picture, i, 1) == body_of(picture, j, 1));
}

/* The arrow that begins with contact i: force on side a, or its reaction on side b where that
 * points up, so that arrows show what carries; at the centre of pressure. */
static void write_arrow(struct nb_picture *picture, int i)
{
    double force[3] = {0}, centre[3] = {0}, xy[2], shown[2], pressure = 0;
    for (int j = i; j < nb_contacts_placed(picture->problem); ++j)
        if (same_arrow(picture, i, j))
            pressure += add_force(picture, j, force, centre);
    if (pressure <= 0)
        return;
    const double sign = nb_dot3(force, picture->problem->gravity) > 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        centre[k] /= pressure;
        force[k] *= sign;
    }
    nb_camera_project(&picture->camera, centre, xy);
    nb_camera_project(&picture->camera, force, shown);
    picture->longest = fmax(picture->longest, nb_norm3(force));
    fprintf(picture->data, "%.9g %.9g %.9g %.9g %.9g\n", xy[0], xy[1], shown[0], shown[1],
            nb_norm3(force));
}

void nb_picture_forces(struct nb_picture *picture)
{
    const int joined = nb_contacts_placed(picture->problem) > most_single_forces;
    fprintf(picture->variables, "joined = %d\n", joined);
    fprintf(picture->data, "# forces, one for each %s: x [m], y [m], their picture Fx [N], Fy [N], "
            "length |F| [N]\n", joined ? "pair of bodies" : "contact");
    for (int i = 0; picture->lambda && i < drawn_contacts(picture); ++i) {
        int first = 1;
        for (int j = 0; j < i && first; ++j)
            first = !same_arrow(picture, i, j);
        if (first)
            write_arrow(picture, i);
    }
    fputs("NaN NaN NaN NaN NaN\n", picture->data);
}
