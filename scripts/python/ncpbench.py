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
import os
import pathlib
import sys
import traceback
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_int

import ncpbench_arrays as arrays
import ncpbench_files as files
import ncpbench_gradients as gradients
import ncpbench_library as c
import numpy as np
from ncpbench_arrays import Error
from ncpbench_records import records  # noqa: F401

_GLOBAL, _LOCAL = 1, 2
_NAMES = {"global": ("M", "H", "f", "w", "mu", "G", "b"), "local": ("W", "q", "mu", "V", "R", "s"), "nonlinear": ()}

_metrics = []
while _row := c.metric_at(len(_metrics)):
    _metrics.append(_row.contents)
metrics = {m.name.decode(): (m.unit.decode(), m.meaning.decode()) for m in _metrics if m.scope == 0}


class Problem(gradients.Variations):
    """One time step. form is "nonlinear", "global" or "local"; time_step is h [s], 1 where a file does not tell.

    dofs, contacts and bilaterals are its sizes. A linear step has mu and, global, M, H, f, w (G, b where there are
    bilateral rows) or, local, W, q (V, R, s); `linearized()` makes a nonlinear one global. Where it is known where the
    contacts are, points [c, 3] in the world, frames [c, 3, 3], whose rows are normal, tangent, tangent, and bodies
    [c, 2], of which the normal points from the second to the first, -1 the world, tell it of the first c contacts."""

    form = property(lambda self: ("nonlinear", "global", "local")[c.form(self._handle)])
    time_step = property(lambda self: c.time_step(self._handle))
    dofs = property(lambda self: c.dofs(self._handle))
    contacts = property(lambda self: c.contacts(self._handle))
    bilaterals = property(lambda self: c.bilaterals(self._handle))

    @property
    def parameters(self):
        """Those of its scene, by name."""
        first = POINTER(c.Parameter)()
        return {first[k].name.decode(): first[k].value for k in range(c.parameters(self._handle, byref(first)))}

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

    def __dir__(self):
        p = self.bilaterals
        return [*super().__dir__(), *(n for n in _NAMES[self.form] if p or n not in ("G", "b", "V", "R", "s"))]

    def __getattr__(self, name):
        if any(name in names for names in _NAMES.values()):
            self.__dict__.update(self._arrays())
            if name in self.__dict__:
                return self.__dict__[name]
            held = set(dir(self)).intersection(_NAMES[self.form])
            hint = "; W is H^T M^-1 H" if name == "W" and self.form == "global" else ""
            raise AttributeError(f"this {self.form} step has no {name}, but {', '.join(sorted(held))}{hint}")
        raise AttributeError(f"a problem has no {name}; dir(problem) lists what it has")

    def _places(self):
        count = c.places(self._handle, None, None, None)
        body, point, frame = np.zeros((count, 2), np.intc), np.zeros((count, 3)), np.zeros((count, 3, 3))
        c.places(self._handle, body.ctypes.data_as(POINTER(c_int)), arrays.doubles_of(point), arrays.doubles_of(frame))
        return body, point, frame

    bodies, points, frames = (property(lambda self, k=k: self._places()[k]) for k in range(3))

    def place(self, points, frames, bodies=None):
        """Tells where a linear step's first contacts are, as points, frames and bodies above; without bodies all are
        -1. Pictures are drawn by it, and files hold it."""
        points, frames = (np.ascontiguousarray(arrays.real(name, given))
                          for name, given in (("points", points), ("frames", frames)))
        count = len(points)
        bodies = np.ascontiguousarray(np.full((count, 2), -1) if bodies is None else bodies, np.intc)
        for name, given, shape in (("points", points, (count, 3)), ("frames", frames, (count, 3, 3)),
                                   ("bodies", bodies, (count, 2))):
            if given.shape != shape and (count or given.size):
                raise Error(f"{name} is {given.shape}, must be {shape}")
        places = c.Places(count, bodies.ctypes.data_as(POINTER(c_int)), *map(arrays.doubles_of, (points, frames)))
        arrays.call(c.place, self._handle, byref(places))

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
        if self.form == "nonlinear":
            bodies, points, frames = self._places()
            linear.place(points, frames, bodies)
        return linear

    def next(self, answer):
        """The step after this one, by the velocities of an answer, with contacts found anew: a nonlinear step's."""
        problem = Problem()
        velocity, _ = _for(self, answer)
        arrays.call(c.problem_next, self._handle, velocity, problem._handle)
        return problem

    def write(self, path, answer=None):
        """Writes the problem, and an answer as FCLIB's /solution, into *.h5 or *.hdf5; a linear step as *.npz or *.mat
        by the names that its arrays have here, the answer as r, v and l."""
        files.check_name(path)
        if files.holds_arrays(path):
            return files.write(path, self._named(path, answer))
        extras = c.Extras()
        if answer is not None:
            extras.u, extras.forces = _for(self, answer)
        arrays.call(c.problem_write, os.fsencode(path), self._handle, byref(extras))

    def _named(self, path, answer):
        if self.form == "nonlinear":
            raise Error(f"{os.fspath(path)}: a nonlinear step has no matrices: take problem.linearized()")
        named = self._arrays()
        places = dict(zip(("bodies", "points", "frames"), self._places()))
        named.update(places if len(places["points"]) else {})
        if answer is not None:
            _for(self, answer)
            named.update({name: getattr(answer, name) for name in ("r", "v", "l") if hasattr(answer, name)})
        return named


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
    """The problem in a file of ours, FCLIB's, or in an *.npz or *.mat of arrays by the names that Problem.write gives
    them."""
    if files.holds_arrays(path):
        return _of_arrays(path, files.read(path))
    problem = Problem()
    arrays.call(c.problem_read, os.fsencode(path), problem._handle)
    return problem


def scene(name, **parameters):
    """The first step of a scene, with those of its parameters that are given (`ncpbench scenes NAME`)."""
    problem = Problem()
    words = [f"{key}={value if isinstance(value, str) else format(value, '.17g')}".encode()
             for key, value in parameters.items()]
    arrays.call(c.scene_create, name.encode(), len(words), (c_char_p * len(words))(*words), problem._handle)
    arrays.call(c.step_prepare, problem._handle)
    return problem


def _of_arrays(path, named):
    form = "local" if "W" in named else "global"
    given = {name: named[name] for name in _NAMES[form] if name in named}
    missing = [name for name in _NAMES[form][:5 if form == "global" else 3] if name not in given]
    if missing:
        raise Error(f"{os.fspath(path)}: holds no {', no '.join(missing)}")
    make = local_problem if form == "local" else global_problem
    try:
        problem = make(**given, name=pathlib.Path(path).stem)
        if "points" in named and "frames" in named:
            problem.place(named["points"], named["frames"], named.get("bodies"))
    except (Error, ValueError, TypeError) as reason:
        raise Error(f"{os.fspath(path)}: {reason}") from None
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
        answer = answer or stored_answer(path, problem)
        if answer is None:
            raise Error(f"{os.fspath(path)}: holds no {'r' if files.holds_arrays(path) else '/solution'}")
    return _Judge(problem)(*_for(problem, answer))


def gradient(problem, answer, of):
    """Of an answer: scripts/python/ncpbench_gradients.py."""
    return gradients.take(problem, _for(problem, answer), of)


def gradient_back(problem, answer, to_position, to_velocity):
    """Of an answer, over many steps: back in scripts/python/ncpbench_gradients.py."""
    return gradients.back(problem, _for(problem, answer), to_position, to_velocity)


def stored_answer(path, problem):
    """The solution that a file of this problem holds; None if it holds none."""
    if files.holds_arrays(path):
        named = files.read(path)
        return Answer(problem, *(named.get(name) for name in ("r", "v", "l"))) if "r" in named else None
    u, forces = c.doubles(), c.doubles()
    arrays.call(c.solution_read, os.fsencode(path), problem._handle, byref(u), byref(forces))
    if not u or not forces:
        return None
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
