/* What rounds in a gap of a nonlinear step, evaluated at q+ in float64 (problems/problem.h):
 *
 *     C_n = n . (a - b) - d,    a = x_A + h v_A + (R p_A - rho_A n),    of particles a = sum w (x + h v) - rho_A n.
 *
 * A sum or product that is exact there counts nothing: sums of round numbers are, and differences of terms that are
 * nearly equal. A contact that is closed at q- without any rounding, and whose sides rest but for the rounding of u,
 * stays so. What is not exact counts the most that its rounding can be, half a unit in the last place, of a sum no
 * more than the smaller term. A rotation's entries count as rounded where they are no whole numbers. */
#include <math.h>

#include "harness/floor/floor_private.h"
#include "problems/base/rotation.h"

static double half_unit(double x)
{
    return x == 0 || !isfinite(x) ? 0 : ldexp(0x1p-53, ilogb(x));
}

/* Not inline: a product may be contracted with a sum that uses it. most: all roundings so far. */
__attribute__((noinline)) static double times(double *most, double a, double b)
{
    const double product = a * b;
    *most += fma(a, b, -product) == 0 ? 0 : half_unit(product);
    return product;
}

__attribute__((noinline)) static double plus(double *most, double a, double b)
{
    const double sum = a + b, of_b = sum - a, lost = (a - (sum - of_b)) + (b - of_b);
    *most += lost == 0 ? 0 : fmin(half_unit(sum), fmin(fabs(a), fabs(b)));
    return sum;
}

/* A side of a contact: its body, or its particles. */
struct side {
    const struct nb_problem *problem;
    const double *u; /* [dofs] of q+; NULL: at q- */
    double rotation[9];
    int at; /* 2 contact + side */
};

static struct side side_of(const struct nb_judge *judge, const double *u, int at)
{
    struct side side = {.problem = judge->problem, .u = u, .at = at, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const int body = judge->problem->contacts.body[at];
    if (body >= 0)
        nb_quaternion_matrix((u ? judge->at.orientation : judge->problem->bodies.orientation) + 4 * body,
                             side.rotation);
    return side;
}

/* Particle k of a side, or -1. */
static int corner(const struct side *side, int k)
{
    const struct nb_contacts *contacts = &side->problem->contacts;
    return k < 3 && contacts->particle ? contacts->particle[3 * side->at + k] : -1;
}

static int particle_dof(const struct side *side, int particle)
{
    return 6 * side->problem->bodies.count + 3 * particle;
}

static double largest(const double x[3], double least)
{
    return fmax(fmax(fabs(x[0]), fabs(x[1])), fmax(fabs(x[2]), least));
}

/* Motion of so little of the coordinates may be what rounding leaves of none, in the solution that is given. */
static bool may_rest(const struct side *side, const double *u)
{
    const struct nb_problem *problem = side->problem;
    const int body = problem->contacts.body[side->at];
    double size = largest(problem->contacts.point + 3 * side->at, 0), motion = 0;
    if (body >= 0) {
        size = largest(problem->bodies.position + 3 * body, size);
        motion = fmax(largest(u + 6 * body, 0), size * largest(u + 6 * body + 3, 0));
    }
    for (int c = 0, i; (i = corner(side, c)) >= 0; ++c) {
        size = largest(problem->particles.position + 3 * i, size);
        motion = largest(u + particle_dof(side, i), motion);
    }
    return problem->time_step * motion <= 0x1p-40 * size;
}

static double moved(const struct side *side, double position, int dof, double *most)
{
    return side->u ? plus(most, position, times(most, side->problem->time_step, side->u[dof])) : position;
}

/* R p - rho n of side a, R p + rho n of side b, along k; with p of the world's side. */
static double find_arm(const struct side *side, int k, double *most)
{
    const struct nb_contacts *contacts = &side->problem->contacts;
    const double radius = contacts->radius ? contacts->radius[side->at] : 0;
    const double outward = times(most, radius, contacts->frame[9 * (side->at / 2) + k]);
    double arm = 0;
    for (int j = 0; j < 3; ++j) {
        const double entry = side->rotation[3 * k + j];
        const double term = times(most, entry, contacts->point[3 * side->at + j]);
        *most += entry == rint(entry) ? 0 : 0x1p-53 * fabs(term);
        arm = plus(most, arm, term);
    }
    return plus(most, arm, side->at % 2 ? outward : -outward);
}

/* Coordinate k of a side's point. */
static double locate(const struct side *side, int k, double *most)
{
    const struct nb_problem *problem = side->problem;
    const int body = problem->contacts.body[side->at];
    double point = find_arm(side, k, most);
    if (body >= 0)
        point = plus(most, moved(side, problem->bodies.position[3 * body + k], 6 * body + k, most), point);
    for (int c = 0, i; (i = corner(side, c)) >= 0; ++c) {
        const double x = moved(side, problem->particles.position[3 * i + k], particle_dof(side, i) + k, most);
        point = plus(most, point, times(most, problem->contacts.weight[3 * side->at + c], x));
    }
    return point;
}

static double evaluate(const struct side side[2], double *most)
{
    const struct nb_contacts *contacts = &side->problem->contacts;
    const int contact = side->at / 2;
    double gap = 0;
    *most = 0;
    for (int k = 0; k < 3; ++k) {
        const double n = contacts->frame[9 * contact + k];
        double axis = 0;
        const double a = locate(&side[0], k, &axis), b = locate(&side[1], k, &axis);
        const double term = times(most, n, plus(&axis, a, -b));
        *most += fabs(n) * axis;
        gap = plus(most, gap, term);
    }
    return plus(most, gap, -contacts->thickness[contact]);
}

double nb_floor_gap_roundings(const struct nb_judge *judge, const double *u, int contact)
{
    const struct side before[] = {side_of(judge, NULL, 2 * contact), side_of(judge, NULL, 2 * contact + 1)};
    const struct side after[] = {side_of(judge, u, 2 * contact), side_of(judge, u, 2 * contact + 1)};
    double most;
    if (evaluate(before, &most) == 0 && most == 0 && may_rest(&before[0], u) && may_rest(&before[1], u))
        return 0;
    evaluate(after, &most);
    return most;
}
