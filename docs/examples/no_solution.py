#!/usr/bin/env python3
"""no_solution.py FCLIB [WIDTH]: shows that a step of a few contacts has no solution, or where one may be.

    U = W r + q,   U_N >= 0, r_N >= 0,   open r = 0, sticking U = 0, sliding r_T = -mu r_N U_T / |U_T|

Each contact is open, sticks, or slides in a sector of directions. For sectors of one width or less than it all that
Coulomb's law asks for is contained in linear inequalities: a linear program tells whether any W r + q meets them. A
branch whose program has no solution is cut, the widest sector of another is halved. Where all branches are cut no
solution exists, but for the linear programs' tolerance (1e-7 of the largest entry of q); a branch whose sectors are
narrower than WIDTH [rad] is printed. Global problems of FCLIB; the time grows tenfold with each contact or two.
"""
import sys

import h5py
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

FACETS = 16  # of the polygon around a friction cone


def matrix(group):
    rows, columns, entries = (int(group[name][0]) for name in ('m', 'n', 'nz'))
    p, i, x = group['p'][:], group['i'][:], group['x'][:]
    if entries >= 0:
        return sp.coo_matrix((x[:entries], (i[:entries], p[:entries])), shape=(rows, columns)).toarray()
    return (sp.csc_matrix if entries == -1 else sp.csr_matrix)((x, i, p), shape=(rows, columns)).toarray()


def read(path):
    """W, q and mu, W with a mean diagonal of 1, and q with a largest entry of 1."""
    with h5py.File(path, 'r') as file:
        group = file['fclib_global']
        mass, h = matrix(group['M']), matrix(group['H'])
        f, w, mu = (group['vectors'][name][:] for name in ('f', 'w', 'mu'))
    h = h if h.shape[0] == mass.shape[0] else h.T
    delassus, q = h.T @ np.linalg.solve(mass, h), h.T @ np.linalg.solve(mass, f) + w
    return delassus / np.diag(delassus).mean(), q / np.abs(q).max(), mu


class Program:
    """The linear inequalities on r of a choice of states."""

    def __init__(self, delassus, q, mu):
        self.delassus, self.q, self.mu = delassus, q, mu
        self.at_most, self.equal = [], []

    def force(self, contact, normal, tangent):
        """normal r_N + tangent . r_T <= 0"""
        row = np.zeros(len(self.q))
        row[3 * contact], row[3 * contact + 1:3 * contact + 3] = normal, tangent
        self.at_most.append((row, 0))

    def velocity(self, contact, tangent):
        """tangent . U_T >= 0"""
        rows = slice(3 * contact + 1, 3 * contact + 3)
        self.at_most.append((-(tangent @ self.delassus[rows]), tangent @ self.q[rows]))

    def add(self, contact, state):
        n = 3 * contact
        self.force(contact, -1, np.zeros(2))
        if state in (None, 'open'):
            self.at_most.append((-self.delassus[n], self.q[n]))
        if state == 'open':
            self.equal += [(np.eye(len(self.q))[n + k], 0) for k in range(3)]
            return
        for angle in np.arange(FACETS) * 2 * np.pi / FACETS:
            self.force(contact, -self.mu[contact], np.array([np.cos(angle), np.sin(angle)]))
        if state is not None:
            still = range(n, n + 3) if state == 'sticks' else (n,)
            self.equal += [(self.delassus[k], -self.q[k]) for k in still]
        if isinstance(state, tuple):
            self.slide(contact, *state)

    def slide(self, contact, first, last):
        middle = np.array([np.cos((first + last) / 2), np.sin((first + last) / 2)])
        for angle, side in ((first, 1), (last, -1)):
            inward = side * np.array([-np.sin(angle), np.cos(angle)])
            self.velocity(contact, inward)
            self.force(contact, 0, inward)
        self.velocity(contact, middle)
        self.force(contact, self.mu[contact] * np.cos((last - first) / 2), middle)

    def solvable(self):
        def split(rows):
            return (np.array([row for row, _ in rows]), np.array([b for _, b in rows])) if rows else (None, None)
        (a, b), (c, d) = split(self.at_most), split(self.equal)
        return linprog(np.zeros(len(self.q)), a, b, c, d, bounds=(None, None), method='highs').status != 2


def search(problem, states, width, count):
    """States that may have a solution, or None."""
    count[0] += 1
    program = Program(*problem)
    for contact, state in enumerate(states):
        program.add(contact, state)
    if not program.solvable():
        return None
    if None in states:
        at = states.index(None)
        choices = ['open', 'sticks'] + [(k * np.pi / 2, (k + 1) * np.pi / 2) for k in range(4)]
    else:
        sectors = [(state[1] - state[0], k) for k, state in enumerate(states) if isinstance(state, tuple)]
        if not sectors or max(sectors)[0] < width:
            return states
        at = max(sectors)[1]
        first, last = states[at]
        choices = [(first, (first + last) / 2), ((first + last) / 2, last)]
    found = (search(problem, states[:at] + [choice] + states[at + 1:], width, count) for choice in choices)
    return next((states for states in found if states), None)


def main():
    problem, count = read(sys.argv[1]), [0]
    states = search(problem, [None] * len(problem[2]), float(sys.argv[2]) if len(sys.argv) > 2 else 1e-4, count)
    print(f'{count[0]} linear programs:', f'there may be a solution: {states}' if states else 'no solution')


if __name__ == '__main__':
    main()
