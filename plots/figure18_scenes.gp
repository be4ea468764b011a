#: title   Linear solvers on the first step of the five scenes of section 10.1 that have no elements
#: input   bars
#: size    174 x 80
#: each    precision: f64 f32
#: panels  problem: arch_first beam_first heavy_stack_first humanoid_batch_first table_pile_first
#: curves  linear
#: where   kind=case problem=arch_first,beam_first,heavy_stack_first,humanoid_batch_first,table_pile_first
#: cost    constraint_error
#: x       records
#: y       median lower upper
#
# Macklin et al. 2019, figure 18, drawn there on three scenes: the constraint error after 30 Newton iterations of 40
# linear ones. Relaxation stagnates on the arch, the beam and the heavy stack. The humanoids and the tables fall freely
# or are solved at once by any of them.
load plots.'bars.gp'
