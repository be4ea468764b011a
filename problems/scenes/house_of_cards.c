/* A house of cards: pairs of leaning cards that hold each other by friction, storeys parted by
 * level boards (Macklin 2020, section 5.2, figure 25; table 3 counts 1200 contacts for triangle
 * meshes; the number of cards and their sizes are not printed).
 *
 * In the lowest storey stand `storeys` pairs, in each above one less, over the middle between two
 * pairs below. A card leans by `angle` from upright, stands on its inner lower edge and meets its
 * partner at the inner upper edges, in the plane between them; their outer upper edges carry the
 * board.
 *
 * Statics of a pair under a load 2 P, card weight W: the push at the top is H = (W/2 + P)
 * tan(angle), so that the feet need friction of at most tan(angle). A load on one card of the pair
 * alone would need a shear of P/2 at the top, more than friction can hold where P is large: a board
 * therefore lies on all pairs of its storey, where a card that bridges two would load one card of
 * each.
 *
 * The two upper edges are parallel, so that no axis of the separating axis test is the horizontal
 * between them: the contact takes the normal of the first card's face, turned by `angle` from the
 * horizontal. The house is therefore symmetric in its shape, but not in its contact normals.
 *
 * It stands where the step is solved: for 10 s with damping 0.5 or 60 Newton iterations, while at
 * the default 0.75 and 30 it creeps and falls after 3 s.
 *
 * It may be knocked down: a ball, the first body, is thrown from the side so that at `knock`
 * seconds it is where the middle of the second storey begins, as high as it started. With steps of
 * h, of which N make that time, its speed upwards begins as g h (N + 1)/2. */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    STOREYS,
    ANGLE,
    LENGTH,
    WIDTH,
    THICKNESS,
    DENSITY,
    KNOCK,
    BALL_MASS,
    BALL_SPEED,
    FRICTION,
    TIME_STEP,
    GRAVITY,
    MARGIN
};

/* All lengths of the house, in m. */
struct house {
    double sides[3];     /* of a leaning card: thickness, width, length */
    double density;
    double half_angle;   /* of the lean [rad] */
    double centre[2];    /* x, z of a leaning card's centre from its pair's axis and floor */
    double top;          /* height of the outer upper edge over the floor of the storey */
    double pitch;        /* distance of neighbouring pairs */
    double overhang;     /* of a board over the axis of its outermost pair */
};

static struct house measure(const double *values)
{
    const double angle = values[ANGLE] * M_PI / 180, l = values[LENGTH], t = values[THICKNESS];
    struct house house = {.half_angle = angle / 2, .density = values[DENSITY]};
    house.sides[0] = t;
    house.sides[1] = values[WIDTH];
    house.sides[2] = l;
    house.centre[0] = (l * sin(angle) + t * cos(angle)) / 2;
    house.centre[1] = (l * cos(angle) + t * sin(angle)) / 2;
    house.top = l * cos(angle) + t * sin(angle);
    /* Feet of neighbouring pairs are not to touch. */
    house.pitch = 2 * (l * sin(angle) + t * cos(angle)) + 2 * values[MARGIN];
    house.overhang = l / 4;
    return house;
}

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[THICKNESS] > values[LENGTH] / 5 || values[THICKNESS] > values[WIDTH] / 5)
        return nb_fail(error, NB_BAD_INPUT,
                       "house_of_cards: thickness = %g m must be at most a fifth of length and "
                       "width",
                       values[THICKNESS]);
    if (values[MARGIN] > values[THICKNESS] / 2)
        return nb_fail(error, NB_BAD_INPUT,
                       "house_of_cards: margin = %g m must be at most half the thickness, %g m",
                       values[MARGIN], values[THICKNESS] / 2);
    return NB_OK;
}

/* A box of the house as the next body, turned about y by twice the half angle. */
static enum nb_status add_card(struct nb_problem *problem, int *body, const struct house *house,
                               const double *sides, const double *centre, double half_angle,
                               struct nb_error *error)
{
    struct nb_shape *shape = &problem->shapes[*body + 1];
    double *orientation = problem->bodies.orientation + 4 * *body;
    const double mass = house->density * sides[0] * sides[1] * sides[2];
    orientation[0] = cos(half_angle);
    orientation[2] = sin(half_angle);
    return nb_scene_make_box(problem, (*body)++, shape, sides, mass, centre, error);
}

/* The cards left and right of the axis x lean to it. */
static enum nb_status add_pair(struct nb_problem *problem, int *body, const struct house *house,
                               double x, double z, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int side = -1; !status && side <= 1; side += 2) {
        const double centre[3] = {x + side * house->centre[0], 0, z + house->centre[1]};
        status = add_card(problem, body, house, house->sides, centre, -side * house->half_angle,
                          error);
    }
    return status;
}

/* One storey of `pairs` pairs on the height z, and the board on it unless it is the last. */
static enum nb_status add_storey(struct nb_problem *problem, int *body, const struct house *house,
                                 int pairs, double z, struct nb_error *error)
{
    const double span = (pairs - 1) * house->pitch;
    const double board[3] = {span + 2 * house->overhang, house->sides[1], house->sides[0]};
    const double centre[3] = {0, 0, z + house->top + board[2] / 2};
    enum nb_status status = NB_OK;
    for (int i = 0; !status && i < pairs; ++i)
        status = add_pair(problem, body, house, i * house->pitch - span / 2, z, error);
    if (!status && pairs > 1)
        status = add_card(problem, body, house, board, centre, 0, error);
    return status;
}

static void throw_ball(const double *values, const struct house *house, struct nb_problem *problem)
{
    const int storey = values[STOREYS] > 1, pairs = (int)values[STOREYS] - storey;
    const double radius = house->sides[2] / 5, steps = round(values[KNOCK] / values[TIME_STEP]);
    const double beside = (pairs - 1) * house->pitch / 2 + 2 * house->centre[0] + radius;
    const double centre[3] = {-beside - values[BALL_SPEED] * steps * values[TIME_STEP], 0,
                              storey * (house->top + house->sides[0]) + house->top / 2};
    nb_scene_make_sphere(problem, 0, &problem->shapes[1], radius, values[BALL_MASS], centre);
    problem->bodies.velocity[0] = values[BALL_SPEED];
    problem->bodies.velocity[2] = values[GRAVITY] * values[TIME_STEP] * (steps + 1) / 2;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int storeys = (int)values[STOREYS], thrown = values[KNOCK] > 0;
    const int count = storeys * (storeys + 1) + storeys - 1 + thrown;
    const struct house house = measure(values);
    int body = thrown;
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    if (thrown)
        throw_ball(values, &house, problem);
    for (int storey = 0; !status && storey < storeys; ++storey)
        status = add_storey(problem, &body, &house, storeys - storey,
                            storey * (house.top + house.sides[0]), error);
    return status;
}

const struct nb_scene nb_scene_house_of_cards = {
    .name = "house_of_cards",
    .title = "House of cards",
    .source = "Macklin 2020, section 5.2, figure 25 and table 3",
    .observable = "height of the centre of a card of the top pair",
    .observable_unit = "m",
    .parameters =
        {
            [STOREYS] = {"storeys", 4, 1, 100, 1, "1", "storeys; the lowest has as many pairs"},
            [ANGLE] = {"angle", 20, 5, 60, 0, "degrees", "lean of a card from upright"},
            [LENGTH] = {"length", 0.25, 0.01, 100, 0, "m", "height of a card"},
            [WIDTH] = {"width", 0.16, 0.01, 100, 0, "m", "width of a card"},
            [THICKNESS] = {"thickness", 0.008, 1e-4, 10, 0, "m", "thickness of a card"},
            [DENSITY] = {"density", 700, 1, 1e5, 0, "kg/m^3", "density of the cards"},
            [KNOCK] = {"knock", 0, 0, 1000, 0, "s", "time when a ball hits it; 0: there is none"},
            [BALL_MASS] = {"ball_mass", 1, 1e-6, 1e6, 0, "kg", "mass of the ball"},
            [BALL_SPEED] = {"ball_speed", 5, 0.1, 100, 0, "m/s", "its speed towards the house"},
            [FRICTION] = NB_SCENE_FRICTION(0.8),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.002),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
