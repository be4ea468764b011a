"""Gradients of a step as numpy arrays: ncpbench.gradient, by harness/gradient/gradient.h."""
from ctypes import byref
from itertools import count, takewhile

import ncpbench_arrays as arrays
import ncpbench_library as c
import numpy as np

NAMES = tuple(c.gradient_name(kind).decode() for kind in takewhile(c.gradient_name, count()))


def _size(problem, name):
    return c.gradient_size(problem._handle, NAMES.index(name))


def back(problem, solution, to_position, to_velocity):
    """Of a number that answers by to_position [bodies, then particles, 3 each] to the places after a step and by
    to_velocity [dofs] to the velocities after it: how it answers to those before the step."""
    of = arrays.vector("to_velocity", to_velocity, problem.dofs).copy()
    to_position = arrays.vector("to_position", to_position, _size(problem, "position"))
    bodies = (problem.dofs - to_position.size) // 3
    moved = np.zeros_like(of)
    moved[:6 * bodies].reshape(-1, 6)[:, :3] = to_position[:3 * bodies].reshape(-1, 3)
    moved[6 * bodies:] = to_position[3 * bodies:]
    slope = take(problem, solution, of + problem.time_step * moved)
    return slope["position"] + to_position, slope["velocity"]


class Variations:
    """What changes a step."""

    @property
    def positions(self):
        """Of the bodies' centres, then the particles of a nonlinear step, a row each [m]."""
        places = np.zeros((_size(self, "position") // 3, 3))
        if places.size:
            c.positions(self._handle, arrays.doubles_of(places))
        return places

    @property
    def masses(self):
        """Of the bodies, then the particles of a nonlinear step [kg]."""
        masses = np.zeros(_size(self, "mass"))
        if masses.size:
            c.masses(self._handle, arrays.doubles_of(masses))
        return masses

    def scale_masses(self, factors):
        """Masses and inertia of a nonlinear step times factors [bodies, then particles]; gravity grows with them, and
        forces other than it stay."""
        arrays.call(c.scale_masses, self._handle,
                    arrays.doubles_of(arrays.vector("factors", factors, self.masses.size)))

    def push(self, force):
        """Adds forces [dofs], constant over the step, in N and N m."""
        arrays.call(c.push, self._handle, arrays.doubles_of(arrays.vector("force", force, self.dofs)))

    def add_velocity(self, change):
        """Adds to the velocities before a nonlinear step [dofs]."""
        arrays.call(c.add_velocity, self._handle, arrays.doubles_of(arrays.vector("change", change, self.dofs)))


def take(problem, solution, of):
    """How y = of . v of an answer, or v[of] where `of` is an index, answers to what the step is made of, by name:
    velocity, position, mass, friction, force, compliance, modulus, as far as the step has them (docs/guide/gradients.md). NaN is
    not determined; where a contact is on the border between two states an Error says which. solution: as C has it."""
    if isinstance(of, (int, np.integer)):
        if not 0 <= of < problem.dofs:
            raise arrays.Error(f"of is {of}, must be within 0 to {problem.dofs - 1}")
        of = np.arange(problem.dofs) == of
    weight, handle = arrays.vector("of", of, problem.dofs), c.pointer()
    arrays.call(c.gradient_create, byref(handle), problem._handle, *solution)
    try:
        arrays.call(c.gradient_solve, handle, arrays.doubles_of(weight))
        values = {name: np.zeros(_size(problem, name)) for name in NAMES}
        for k, value in enumerate(values.values()):
            c.gradient_take(handle, k, arrays.doubles_of(value))
    finally:
        c.gradient_free(handle)
    return {name: value for name, value in values.items() if value.size}
