// The canonical scenes, small, and in motion where their first step says little.
#ifndef NB_TEST_CUDA_SCENES_CUH
#define NB_TEST_CUDA_SCENES_CUH

#include <vector>

struct test_scene {
    const char *name;
    std::vector<const char *> settings;
    int steps;
    bool large; // too large to assemble
};

inline const std::vector<test_scene> &test_scenes()
{
    static const std::vector<test_scene> all = {
        {"arch", {"count=6"}, 0, false},
        {"ball_drop", {"count=3"}, 40, false},
        {"balls_in_cube", {"count=6"}, 60, false},
        {"beam", {"count=3"}, 20, false},
        {"box_on_plane", {}, 0, false},
        {"box_pyramid", {}, 0, false},
        {"cylinder_stack", {}, 0, false},
        {"dense_wall", {"columns=3", "rows=3"}, 0, false},
        {"double_pendulum_mass", {}, 10, false},
        {"double_pendulum_stiffness", {}, 10, false},
        {"granular_silo", {"count=60"}, 2, false},
        {"heavy_stack", {"count=4"}, 0, false},
        {"hinge_limits", {"count=4"}, 30, false},
        {"house_of_cards", {}, 0, false},
        {"incline", {}, 0, false},
        {"leaning_capsule", {}, 3, false},
        {"material_extension", {"cells=2", "cells_across=1", "rise=0.05"}, 3, false},
        {"particle_chain", {"count=5"}, 10, false},
        {"pneunet", {}, 0, true},
        {"pneunet_finger", {"inflate=0.03"}, 2, true},
        {"random_pile", {}, 5, false},
        {"sheet", {"cells=2", "cells_across=2", "rise=0.05", "material=1"}, 3, false},
        {"sliding_box", {}, 1, false},
        {"sparse_stack", {"count=4"}, 0, false},
        {"table_pile", {"base=2", "layers=2"}, 12, false},
        {"two_boxes", {}, 0, false}};
    return all;
}

#endif
