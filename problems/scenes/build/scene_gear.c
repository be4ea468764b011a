/* Gears of convex pieces. A tooth's half width at the radius rho, as an angle, is that of an involute of the base
 * circle r_b = r cos(alpha),
 *
 *     psi(rho) = pi (1 - backlash)/(2 teeth) + inv(alpha) - inv(acos(r_b/rho)),   inv(a) = tan(a) - a,
 *
 * and below the base circle psi(r_b): its flank is radial there. Along the flank the roll angle u, rho = r_b
 * sqrt(1 + u^2), is divided evenly. A cross-section is convex, and so is the prism over it. */
#include "problems/scenes/build/scene_gear.h"

#include <math.h>

#include "problems/scenes/build/scene_build.h"

enum { FLANK = 6,
       CORNERS = 2 * (FLANK + 1) }; /* points of a flank above the base circle; and one within the hub */

static const double pressure_angle = 25 * M_PI / 180;

double nb_gear_pitch_radius(const struct nb_gear *gear)
{
    return gear->module * gear->teeth / 2;
}

double nb_gear_tip_radius(const struct nb_gear *gear)
{
    return nb_gear_pitch_radius(gear) + gear->module;
}

static double root_radius(const struct nb_gear *gear)
{
    return nb_gear_pitch_radius(gear) - 1.25 * gear->module;
}

int nb_gear_shapes(const struct nb_gear *gear)
{
    return 1 + gear->teeth;
}

static double involute(double angle)
{
    return tan(angle) - angle;
}

/* The half width at the roll angle u, for which acos(r_b/rho) = atan(u). */
static double half_width(const struct nb_gear *gear, double u)
{
    return M_PI * (1 - gear->backlash) / (2 * gear->teeth) + involute(pressure_angle) - involute(atan(u));
}

/* Radii and half widths of a flank, outwards; the first point lies within the hub. */
static void trace_flank(const struct nb_gear *gear, double *radius, double *half)
{
    const double base = nb_gear_pitch_radius(gear) * cos(pressure_angle), root = root_radius(gear);
    const double first = root > base ? sqrt(root * root / (base * base) - 1) : 0;
    const double last = sqrt(pow(nb_gear_tip_radius(gear) / base, 2) - 1);
    for (int i = 0; i < FLANK; ++i) {
        const double u = first + (last - first) * i / (FLANK - 1);
        radius[1 + i] = base * sqrt(1 + u * u);
        half[1 + i] = half_width(gear, u);
    }
    radius[0] = 0.9 * root;
    half[0] = half[1];
}

/* A tooth at that angle: the prism over its cross-section, counter-clockwise from the hub outwards and back. */
static enum nb_status make_tooth(struct nb_shape *shape, const struct nb_gear *gear, double angle,
                                 struct nb_error *error)
{
    double radius[FLANK + 1], half[FLANK + 1];
    const enum nb_status status = nb_shape_cylinder(shape, 1, gear->width, CORNERS, 0, error);
    if (status)
        return status;
    trace_flank(gear, radius, half);
    for (int i = 0; i < 2 * CORNERS; ++i) {
        const int corner = i % CORNERS, back = corner > FLANK, k = back ? CORNERS - 1 - corner : corner;
        const double at = angle + (back ? half[k] : -half[k]);
        shape->vertex[3 * i] = radius[k] * cos(at);
        shape->vertex[3 * i + 1] = radius[k] * sin(at);
    }
    return NB_OK;
}

enum nb_status nb_scene_make_gear(struct nb_problem *problem, int index, struct nb_shape *shapes,
                                  const struct nb_gear *gear, const double *centre, double angle,
                                  struct nb_error *error)
{
    struct nb_bodies *bodies = &problem->bodies;
    const double r = nb_gear_pitch_radius(gear), mass = gear->density * M_PI * r * r * gear->width;
    enum nb_status status = nb_shape_cylinder(&shapes[0], root_radius(gear), gear->width, gear->teeth, 0, error);
    shapes[0].body = index;
    for (int i = 0; !status && i < gear->teeth; ++i) {
        status = make_tooth(&shapes[1 + i], gear, 2 * M_PI * i / gear->teeth, error);
        shapes[1 + i].body = index;
    }
    bodies->mass[index] = mass;
    for (int k = 0; k < 3; ++k) {
        bodies->position[3 * index + k] = centre[k];
        bodies->inertia[9 * index + 4 * k] = k == 2 ? mass * r * r / 2
                                                    : mass * (3 * r * r + gear->width * gear->width) / 12;
    }
    bodies->orientation[4 * index] = cos(angle / 2);
    bodies->orientation[4 * index + 3] = sin(angle / 2);
    return status;
}
