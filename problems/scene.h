/* A scene is one file in problems/scenes/: it exports one struct nb_scene named
 * nb_scene_<file>. It says where the bodies are; problems/collide finds the contacts and
 * harness/simulate/simulate.h moves time on. */
#ifndef NB_SCENE_H
#define NB_SCENE_H

#include "problems/problem.h"

#define NB_SCENE_PARAMETERS 24

struct nb_scene_parameter {
    const char *name;    /* as in --set name=value */
    double value;        /* default */
    double minimum, maximum;
    int integer;         /* only whole numbers */
    const char *unit, *meaning;
};

/* What every scene has: time step [s], gravity [m/s^2], margin [m], its last parameters in this order; and the
 * friction of a scene that has one for all surfaces. */
#define NB_SCENE_STEP(time_step, gravity, margin) \
    {"time_step", time_step, 1e-6, 0.1, 0, "s", "time step"}, \
    {"gravity", gravity, 0, 1000, 0, "m/s^2", "gravity, downwards"}, \
    {"margin", margin, 0, 1, 0, "m", "largest gap that makes a contact"}
#define NB_SCENE_FRICTION(mu) {"friction", mu, 0, 10, 0, "1", "friction coefficient of all surfaces"}

/* What may be set of any scene, as every other parameter, and is one of the problem only where it was: the compliance
 * of all of its contacts, none by default. */
enum { NB_COMMON_PARAMETERS = 2 };
extern const struct nb_scene_parameter nb_common_parameters[NB_COMMON_PARAMETERS];

struct nb_scene {
    const char *name, *title;
    const char *source;  /* the paper and section it is taken from */
    const char *observable, *observable_unit; /* what simulate reports beside the common measures,
                                                 such as "crown height" in "m" */
    struct nb_scene_parameter parameters[NB_SCENE_PARAMETERS]; /* ended by a NULL name */
    /* Fills bodies and shapes; values [NB_SCENE_PARAMETERS], in order. The problem has the time step and the gravity
     * of the parameters of these names; contacts and free_velocity are left to the simulation. */
    enum nb_status (*build)(const double *values, struct nb_problem *problem,
                            struct nb_error *error);
    /* What a mesh of the user's is for, `--set mesh=FILE`, and what puts it into the problem that was built; NULL: the
     * scene takes none. The mesh is a polyhedron that need not be convex, closed; what it owns may be taken over, and
     * is then to be set to {0}. */
    const char *mesh;
    enum nb_status (*take_mesh)(const double *values, struct nb_shape *mesh, struct nb_problem *problem,
                                struct nb_error *error);
    /* What is prescribed to change over time; NULL: nothing is. Sets, for the step problem->step, the
     * velocities over it of the world's frames (drift of joints and attachments), the frames by which motors hold
     * angles (orientation of a fixed joint's side b, compliant) and the tetrahedra's inflation. It depends on the
     * problem's step, time_step and parameters alone, so that a run goes on from a file as if it had not stopped. build
     * leaves the frames where they begin. */
    void (*schedule)(struct nb_problem *problem);
    /* Adds to the free velocity [nb_problem_dofs] of a step what forces of the scene's own change over it; NULL: there
     * are none. It depends on the problem alone, as schedule does. */
    void (*drive)(const struct nb_problem *problem, double *velocity);
    /* The observable's value in the problem's present configuration. */
    double (*observe)(const struct nb_problem *problem);
};

/* The scene of that name, or NULL. */
const struct nb_scene *nb_scene_find(const char *name);

/* The scene that the problem is of, by its name and its parameters, all of which are that scene's; NULL: of none, as
 * a model that has the name of a scene. */
const struct nb_scene *nb_scene_of(const struct nb_problem *problem);

/* The name of the file of a scene's mesh (take_mesh), or NULL. */
const char *nb_scene_mesh(const struct nb_problem *problem);

/* Builds a scene at rest at its start: parameters come as "key=value" strings [count]. The message
 * of a refused one names the scene's known keys or the allowed range. */
enum nb_status nb_scene_create(const char *scene, int count, const char *const *settings,
                               struct nb_problem *problem, struct nb_error *error);

/* Calls the schedule of the problem's scene, if it has one, and moves the world's frames by their
 * velocities to the end of the step. */
void nb_scene_move_on(struct nb_problem *problem);

/* Calls the drive of the problem's scene, if it has one. */
void nb_scene_drive(const struct nb_problem *problem, double *velocity);

/* Whether each scene has a name of its own and what is not said to be optional: NB_BAD_FILE names the file. */
enum nb_status nb_scenes_check(struct nb_error *error);

/* All scenes sorted by name; NULL ends the list. */
const struct nb_scene *const *nb_scenes(void);

#endif
