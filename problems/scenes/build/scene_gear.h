/* Spur gears for scenes, as bodies of convex pieces: a hub and teeth with involute flanks. */
#ifndef NB_SCENE_GEAR_H
#define NB_SCENE_GEAR_H

#include "problems/problem.h"

/* The axis is z of the body's frame, and the first tooth points along x. Pitch radius m teeth/2, tip radius a module
 * more, root radius 1.25 modules less; two gears of one module mesh where their axes are as far apart as both pitch
 * radii, with the `backlash` between the flanks, over the pitch pi m. */
struct nb_gear {
    int teeth;       /* at least NB_GEAR_TEETH        */
    double module;   /* m > 0 [m]                     */
    double width;    /* along the axis [m]            */
    double density;  /* [kg/m^3]                      */
    double backlash; /* 0 to 0.5 [1]                  */
};

/* Fewer teeth would be undercut at the pressure angle. */
enum { NB_GEAR_TEETH = 12,
       NB_GEAR_TEETH_MOST = 200 };

double nb_gear_pitch_radius(const struct nb_gear *gear);
double nb_gear_tip_radius(const struct nb_gear *gear);

/* How many shapes it has: one for the hub and one for each tooth. */
int nb_gear_shapes(const struct nb_gear *gear);

/* Makes body `index` the gear, centre [3], turned by that angle [rad] about z, and so many shapes from that one on its
 * pieces. Its mass and inertia are those of the disc of its pitch radius. */
enum nb_status nb_scene_make_gear(struct nb_problem *problem, int index, struct nb_shape *shapes,
                                  const struct nb_gear *gear, const double *centre, double angle,
                                  struct nb_error *error);

#endif
