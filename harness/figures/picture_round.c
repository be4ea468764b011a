/* Spheres and capsules on a picture, as discs: in orthographic projection a sphere is one, and a
 * capsule the union of those along its axis. Discs within each other, each lighter and nearer to the
 * light than the one before, stand for the shading; a darker one behind them for the outline. */
#include <math.h>

#include "harness/figures/picture.h"
#include "problems/base/vec3.h"

/* Discs along a capsule's axis are this far apart, in radii: scallops stay below r/300, or r/30 on a
 * rod so thin that they are not seen. */
static const double disc_spacing = 0.15, rod_spacing = 0.5;

static int is_rod(const struct nb_shape *shape)
{
    return shape->half_length > 10 * shape->radius;
}

/* Towards the light on the picture, as far as the lightest spot of a sphere, in radii. */
static const double light[2] = {-0.36, 0.44};

/* Fewer where many are drawn, or on a thin rod, whose discs are many and whose shading is not seen:
 * the picture would be a large file. */
static int levels_for(int solids, const struct nb_shape *shape)
{
    return solids > 5000 ? 2 : is_rod(shape) ? 3 : solids > 500 ? 4 : 10;
}

unsigned nb_picture_tone(unsigned tint, double brightness)
{
    unsigned colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        colour |= (unsigned)lround(brightness * (double)(tint >> shift & 255)) << shift;
    return colour;
}

/* Discs of one size along the axis. */
static void write_row(struct nb_picture *picture, const double *from, const double *to,
                      double radius, double spacing, const double *shift, unsigned colour)
{
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const int pieces = (int)ceil(length / (spacing * radius));
    for (int i = 0; i <= pieces; ++i) {
        const double part = pieces ? (double)i / pieces : 0;
        fprintf(picture->data, "%.7g %.7g %.7g %u\n",
                from[0] + part * (to[0] - from[0]) + shift[0],
                from[1] + part * (to[1] - from[1]) + shift[1], radius, colour);
    }
}

void nb_picture_round(struct nb_picture *picture, const struct nb_solid *solid)
{
    const unsigned tint = solid->shape->body < 0 ? 0xDADEE4 : 0xFFF3DC, outline = 0x6A655C;
    const double radius = solid->shape->radius, none[2] = {0, 0};
    const int levels = levels_for(picture->stage.solid_count, solid->shape);
    const double spacing = is_rod(solid->shape) ? rod_spacing : disc_spacing;
    double from[2], to[2];
    nb_camera_project(&picture->camera, solid->ends, from);
    nb_camera_project(&picture->camera, solid->ends + 3, to);
    write_row(picture, from, to, radius, spacing, none, outline);
    for (int k = 0; k < levels; ++k) {
        /* The first is the rim: the outline shows around it. Lambert's cosine over a sphere. */
        const double part = (double)k / levels, size = 0.97 * radius * (1 - part);
        const double shift[2] = {part * radius * light[0], part * radius * light[1]};
        const double brightness = 0.72 + 0.28 * sqrt(1 - (1 - part) * (1 - part));
        write_row(picture, from, to, size, spacing, shift, nb_picture_tone(tint, fmin(brightness, 1)));
    }
}
