"""ncpbench from Python: problems of frictional contact as numpy arrays, solved and judged by libncpbench.so.

    import ncpbench
    problem = ncpbench.read_problem("p.h5")          # or local_problem(W, q, mu), global_problem(M, H, f, w, mu)
    answer = ncpbench.solve(problem, tol=1e-8)
    print(answer.iterations, ncpbench.judge(problem, answer)["step_error"])

The steps are FCLIB's, a contact's rows being normal, tangent, tangent:

    global  M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0
    local   u = W r + V l + q,    V^T r + R l + s = 0

with Signorini's and Coulomb's laws between u [m/s] and r [N s] of each contact. Needs numpy; with scipy matrices are
scipy.sparse, without it they are arrays; with pandas `records` gives a DataFrame, without it a list of dicts.
"""
import gzip
import json
import os
import sys
import traceback
import weakref
from ctypes import byref, c_char_p, c_double

import ncpbench_arrays as arrays
import ncpbench_library as c
import numpy as np
from ncpbench_arrays import Error

_GLOBAL, _LOCAL = 1, 2

_metrics = []
while _row := c.metric_at(len(_metrics)):
    _metrics.append(_row.contents)
metrics = {m.name.decode(): (m.unit.decode(), m.meaning.decode()) for m in _metrics if m.scope == 0}


class Problem:
    """One time step. form is "nonlinear", "global" or "local"; time_step is h [s], 1 where a file does not tell.

    dofs, contacts and bilaterals are its sizes. A linear step has mu and, global, M, H, f, w (G, b where there are
    bilateral rows) or, local, W, q (V, R, s); `linearized()` makes a nonlinear one global."""

    form = property(lambda self: ("nonlinear", "global", "local")[c.form(self._handle)])
    time_step = property(lambda self: c.time_step(self._handle))
    dofs = property(lambda self: c.dofs(self._handle))
    contacts = property(lambda self: c.contacts(self._handle))
    bilaterals = property(lambda self: c.bilaterals(self._handle))

    def __init__(self):
        self._handle = c.problem_new()
        if not self._handle:
            raise MemoryError
        weakref.finalize(self, c.problem_delete, self._handle)

    def __reduce__(self):
        raise TypeError("a Problem is neither copied nor pickled: write it to a file, or take linearized()")

    def __repr__(self):
        return (f"<ncpbench.Problem: {self.form}, {self.dofs} dofs, {self.contacts} contacts, "
                f"{self.bilaterals} bilateral rows>")

    def __getattr__(self, name):
        if name in ("M", "H", "G", "f", "w", "b", "W", "V", "R", "q", "s", "mu"):
            self.__dict__.update(self._arrays())
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"a {self.form} step of {self.bilaterals} bilateral rows has no {name}")

    def _arrays(self):
        step = c.linear_step(self._handle)
        if not step:
            raise AttributeError("a nonlinear step has no matrices: take problem.linearized()")
        step = step.contents
        n, p = 3 * step.contacts, step.bilaterals
        of = {"mu": arrays.values(step.friction, step.contacts)}
        if self.form == "global":
            of.update(M=arrays.matrix_of(step.mass), H=arrays.matrix_of(step.contact_jacobian).T,
                      f=arrays.values(step.force, step.dofs), w=arrays.values(step.contact_velocity, n))
            if p:
                of.update(G=arrays.matrix_of(step.bilateral_jacobian).T, b=arrays.values(step.bilateral_velocity, p))
        else:
            whole = arrays.matrix_of(step.delassus)
            of.update(W=whole[:n, :n], q=arrays.values(step.contact_velocity, n))
            if p:
                of.update(V=whole[:n, n:], R=whole[n:, n:], s=arrays.values(step.bilateral_velocity, p))
        return of

    def linearized(self):
        """The step linearised where it begins, as a global one; a linear one is copied."""
        linear = Problem()
        arrays.call(c.linearize, self._handle, linear._handle)
        return linear

    def write(self, path, answer=None):
        """Writes the problem, and an answer as FCLIB's /solution."""
        extras = c.Extras()
        if answer is not None:
            extras.u, extras.forces = _for(self, answer)
        arrays.call(c.problem_write, os.fsencode(path), self._handle, byref(extras))


class Answer:
    """A solution of a problem: r [N s] of the contacts, l of the bilateral rows, v of the bodies (a local step has
    none: its u follows from r and l). From `solve`, or made of what another solver found.

    Of `solve` it also has iterations; error, the judge's step_error; converged, whether that is within tol (None
    without one); and detail, why the method broke down, "" otherwise."""

    iterations, error, converged, detail = 0, None, None, ""

    def __init__(self, problem, r, v=None, l=None):
        n, p = 3 * problem.contacts, problem.bilaterals
        if l is None and p:
            raise Error(f"a step with {p} bilateral rows is answered by their l as well as r")
        l = arrays.vector("l", [] if l is None else l, p)
        r = arrays.vector("r", r, n)
        if problem.form == "local":
            v = problem.W @ r + problem.q
            if p:
                v = np.concatenate((v + problem.V @ l, problem.V.T @ r + problem.R @ l + problem.s))
        elif v is None:
            raise Error(f"a {problem.form} step is answered by v as well as r")
        self._keep(problem, arrays.vector("v", v, problem.dofs), np.concatenate((l, r)) / problem.time_step)

    def __repr__(self):
        return f"<ncpbench.Answer: {self.iterations} iterations, error {self.error}>"

    def _keep(self, problem, velocity, force):
        self._velocity, self._force, p = velocity, force, problem.bilaterals
        self.l, self.r = np.split(force * problem.time_step, [p])
        if problem.form == "local":
            self.u = velocity[:3 * problem.contacts]
        else:
            self.v = velocity
        if problem.form == "global":
            self.u = problem.H.T @ velocity + problem.w


def _answer(problem, velocity, force):
    answer = Answer.__new__(Answer)
    answer._keep(problem, velocity, force)
    return answer


def _for(problem, answer):
    """Velocities and forces for C, which is not told how many there are."""
    if not isinstance(answer, Answer):
        raise Error("an Answer is needed: of solve, or Answer(problem, r=..., v=...)")
    sizes, needed = [answer._velocity.size, answer._force.size], [problem.dofs, c.multipliers(problem._handle)]
    if sizes != needed:
        raise Error(f"the answer is another problem's: it has {sizes[0]} velocities and {sizes[1]} forces, must have "
                    f"{needed[0]} and {needed[1]}")
    return arrays.doubles_of(answer._velocity), arrays.doubles_of(answer._force)


def read_problem(path):
    """The problem in a file of ours or FCLIB's."""
    problem = Problem()
    arrays.call(c.problem_read, os.fsencode(path), problem._handle)
    return problem


def _linear(form, name, contacts, mu, w, f, rows):
    """rows are M, H^T and G^T, or W with its bilateral rows; b or s stand behind w."""
    mu, f = arrays.vector("mu", mu, contacts), arrays.vector("f", f)
    b = w[3 * contacts:]
    none = c.Csr()
    if form == _GLOBAL:
        matrices = [rows[0].c, rows[1].c, rows[2].c if len(rows) > 2 else c.Csr(columns=f.size), none]
    else:
        matrices = [none, none, none, rows[0].c]
    step = c.Step(f.size, contacts, b.size, *matrices, *(arrays.doubles_of(v) for v in (f, w, b, mu)))
    problem = Problem()
    arrays.call(c.set_linear, problem._handle, form, name.encode(), byref(step))
    return problem


def _bilateral(name, vector, **matrices):
    """The vector of bilateral rows; its matrices are there where it is."""
    for other, matrix in matrices.items():
        if (matrix is None) != (vector is None):
            missing, given = (other, name) if matrix is None else (name, other)
            raise Error(f"{missing} is missing, though there is {given}")
    return arrays.vector(name, [] if vector is None else vector)


def local_problem(W, q, mu, V=None, R=None, s=None, name="local"):
    """u = W r + V l + q, V^T r + R l + s = 0 from matrices (scipy.sparse or arrays) and vectors."""
    q, s = arrays.vector("q", q), _bilateral("s", s, V=V, R=R)
    n, p = q.size, s.size
    if n % 3:
        raise Error(f"q has {n} entries, must have three for each contact")
    W = arrays.Rows("W", W, (n, n))
    if p:
        V, R = arrays.Rows("V", V, (n, p)), arrays.Rows("R", R, (p, p))
        blocks = [[W.matrix, V.matrix], [V.matrix.T, R.matrix]]
        W = arrays.Rows("W", arrays.sparse.bmat(blocks) if arrays.sparse else np.block(blocks), (n + p, n + p))
    return _linear(_LOCAL, name, n // 3, mu, np.concatenate((q, s)), [], [W])


def global_problem(M, H, f, w, mu, G=None, b=None, name="global"):
    """M v = H r + G l + f, u = H^T v + w, G^T v + b = 0 from matrices (scipy.sparse or arrays) and vectors."""
    f, w, b = arrays.vector("f", f), arrays.vector("w", w), _bilateral("b", b, G=G)
    n, m = f.size, w.size
    if m % 3:
        raise Error(f"w has {m} entries, must have three for each contact")
    rows = [arrays.Rows("M", M, (n, n)), arrays.Rows("H", arrays.Rows("H", H, (n, m)).matrix.T)]
    if b.size:
        rows.append(arrays.Rows("G", arrays.Rows("G", G, (n, b.size)).matrix.T))
    return _linear(_GLOBAL, name, m // 3, mu, np.concatenate((w, b)), f, rows)


def write_local(path, W, q, mu, **more):
    """Writes local_problem(W, q, mu, ...) as FCLIB's fclib_local."""
    local_problem(W, q, mu, **more).write(path)


def write_global(path, M, H, f, w, mu, **more):
    """Writes global_problem(M, H, f, w, mu, ...) as FCLIB's fclib_global."""
    global_problem(M, H, f, w, mu, **more).write(path)


class _Judge:
    def __init__(self, problem):
        self.problem, self.handle = problem, c.pointer()
        arrays.call(c.judge_create, byref(self.handle), problem._handle)
        weakref.finalize(self, c.judge_free, self.handle)

    def __call__(self, u, forces):
        values = (c_double * len(_metrics))()
        c.judge_evaluate(self.handle, u, forces, byref(values))
        return {m.name.decode(): values[m.offset // 8] for m in _metrics if m.scope == 0}


def judge(problem, answer=None):
    """All metrics of an answer, by name (`metrics` has units and meanings). A file's own /solution without one."""
    if not isinstance(problem, Problem):
        path, problem = problem, read_problem(problem)
        answer = answer or _stored(path, problem)
    return _Judge(problem)(*_for(problem, answer))


def _stored(path, problem):
    u, forces = c.doubles(), c.doubles()
    arrays.call(c.solution_read, os.fsencode(path), problem._handle, byref(u), byref(forces))
    if not u or not forces:
        raise Error(f"{os.fspath(path)}: holds no /solution")
    try:
        return _answer(problem, arrays.values(u, problem.dofs), arrays.values(forces, c.multipliers(problem._handle)))
    finally:
        c.free(u)
        c.free(forces)


def _options_of(values):
    options = c.options_default()
    for name, value in values.items():
        kind = dict(c.Options._fields_).get(name)
        if kind is None:
            raise Error(f"{name} is no option: there are {', '.join(n for n, _ in c.Options._fields_)}")
        try:
            setattr(options, name, value.encode() if kind is c_char_p else value)
        except (TypeError, AttributeError):
            raise Error(f"{name} is {value!r}, must be {'text' if kind is c_char_p else 'a number'}") from None
    arrays.call(c.options_validate, byref(options))
    return options


def solve(problem, tol=None, iterations=None, start=None, **options):
    """Solves a problem by `solver`, "proximal_newton" if not named, and the other options of `ncpbench solve`
    (ncp, scaling, linear, precond, precision, ...). It stops where the judge's step_error is within tol, after
    `iterations` at most (the method's own limit); start is an Answer to begin at."""
    given = _options_of(options)
    limit = iterations if iterations is not None else c.options_iterations(byref(given))
    judged, handle, run, seen = _Judge(problem), c.pointer(), c.Run(), {}

    def observe(_, iteration, u, forces, report):
        try:
            seen["error"] = judged(u, forces)["step_error"]
            return tol is None or not seen["error"] <= tol
        except BaseException as failure:  # it may not pass through C
            seen["failure"] = failure
            return False

    arrays.call(c.solver_create, byref(handle), problem._handle, byref(given))
    try:
        if start is not None:
            arrays.call(c.solver_start, handle, *_for(problem, start))
        observer = c.Observer(None, c.OBSERVE(observe), c.OBSERVE_ISLAND())
        arrays.call(c.solver_run, handle, limit, byref(observer) if tol is not None else None, byref(run))
        if "failure" in seen:
            raise seen["failure"]
        u, forces = np.zeros(problem.dofs), np.zeros(c.multipliers(problem._handle))
        c.solver_solution(handle, arrays.doubles_of(u), arrays.doubles_of(forces))
    finally:
        c.solver_free(handle)
    answer = _answer(problem, u, forces)
    answer.iterations, answer.detail = run.newton_iterations, run.detail.decode(errors="replace")
    answer.error = judged(arrays.doubles_of(u), arrays.doubles_of(forces))["step_error"]
    answer.converged = None if tol is None else bool(answer.error <= tol)
    return answer


def serve(name, prepare):
    """Makes a program a solver for `external:command=python3 PROGRAM` (docs/guide/external_solver.md): prepare(problem)
    sets up and returns solve(tolerance), which returns an Answer and the number of its iterations. name is for the
    records; what is printed meanwhile goes to standard error, as does the traceback of what is no Error."""
    told, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        try:
            if word == "load":
                path, problem = rest, read_problem(rest)
                run, said = prepare(problem), f"ready {name}"
            elif word == "solve":
                answer, iterations = run(float(rest))
                said = f"solved {iterations}"
            elif word == "write":
                problem.write(path, answer)
                said = "written"
            else:
                break
        except Exception as failure:
            if not isinstance(failure, Error):
                traceback.print_exc()
            kind = "" if isinstance(failure, Error) else type(failure).__name__ + ": "
            said = "error " + " ".join((kind + str(failure)).split())
        print(said, file=told, flush=True)


def _flat(value, prefix=""):
    for name, member in value.items():
        if isinstance(member, dict):
            yield from _flat(member, f"{prefix}{name}.")
        else:
            yield prefix + name, member


def records(files):
    """The records of results files (.jsonl, .jsonl.gz), one path or several, as a pandas.DataFrame, or a list of
    dicts where there is no pandas. Members of members are columns "errors.step_error"."""
    rows = []
    for path in [files] if isinstance(files, (str, os.PathLike)) else files:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    rows += [dict(_flat(json.loads(line)))] if line.strip() else []
                except (ValueError, AttributeError) as reason:
                    raise Error(f"{path}:{number}: no record: {reason}") from None
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
