/* The models of data/models, and at which step something touches in each. */
#ifndef NB_TESTS_IMPORT_MODELS_H
#define NB_TESTS_IMPORT_MODELS_H

static const struct {
    const char *path;
    int step;
} import_models[] = {
    {"data/models/humanoid.xml", 300},
    {"data/models/hand.xml", 300},
    {"data/models/drawer.xml", 100},
    {"data/models/quadruped.xml", 150},
    {"data/models/boxes.xml", 100},
    {"data/models/pendulum.xml", 110},
    {"data/models/slider_crank.xml", 60},
    {"data/models/cart.xml", 80},
    {"data/models/capsules.xml", 60},
    {"data/models/polyhedra.xml", 100},
    {"data/models/gripper.urdf", 100},
};
enum { IMPORT_MODELS = sizeof import_models / sizeof *import_models };

#endif
