#: title   Normal forces over the arch's redundant contacts: quartiles over twelve time steps, by NCP function
#: input   quantiles
#: size    174 x 66
#: panels  method: newton_fb newton_min
#: curves  quantile: 0 0.25 0.5 0.75 1
#: where   kind=forces
#: where   problem=rest_arch-????
#: x       contact
#: y       normal_force
#
# Of the arch, as force_noise.gp.
load plots.'force_noise.gp'
