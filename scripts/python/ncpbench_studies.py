"""Studies, each of which appends its records to a file. Two are of a step's matrices, by dense linear algebra, one is of
a search along gradients through many steps, one counts iterations, one evaluates NCP functions:

    python3 -m ncpbench_studies spectrum FILE [--zero X] [-o FILE.jsonl]
    python3 -m ncpbench_studies conditioning SCENE [--set KEY=VALUE] [--vary NAME] [--axis AXIS] [--contacts]
                                                   [-o FILE.jsonl]
    python3 -m ncpbench_studies trajectory [--set KEY=VALUE] [--gradient KIND] [--time T] [-o FILE.jsonl]
    python3 -m ncpbench_studies iterations SCENE [--runs R] [--steps N] [--tol X] [--linearized] [-o FILE.jsonl]
                                                 [options of `ncpbench simulate`]
    python3 -m ncpbench_studies functions [--plugin NAME.so] [-o FILE.jsonl]

The spectrum is of the contacts' Delassus matrix J M^-1 J^T of the linearised step, compliant rows and elements folded
into M, or of a local step's W: its fill and its eigenvalues (figures 6 and 7 of Silcowitz, Niebe and Erleben 2009).

The conditioning is of the systems that primal and dual descent precondition, of the joints', attachments' and
distances' rows of a scene's first step, over one of its parameters in equal ratios (figure 28 of Macklin's thesis):

    primal  M + h^2 J^T K J
    dual    h^2 J M^-1 J^T + E,  E = K^-1 the compliances, which a rigid copy of the step has lost

With --contacts the rows of all contacts stand behind these, as if they were closed and stuck: their compliances are
those of soft contacts (--vary contact_compliance+friction_compliance varies both). Of h^2 (J M^-1 J^T + C) the primal
system is the stiffness form, which Newton's method has by --operator stiffness (Macklin et al. 2019, 64).

The trajectory is that of the scene bouncing_ball: at which velocity it has to start to be at its target at a time, after
it has met a floor and a wall, found by SciPy's L-BFGS (figure 36 of the thesis). The square of the distance at the end
is least at 0; backwards, a step turns what the end answers to places and velocities after it into what it answers to
those before it, and all steps with their answers are kept for that. `--gradient velocity` leaves out the places.

The iterations are those that a method needs in the steps of a scene, over several runs with different seeds, as in table
1 of Todorov 2010: the median over the steps of a run that have contacts, then the mean over the runs. Of every run
there are the mean number of contacts, that median and what a tenth of these steps takes at least, the share of
iterations that took one linear iteration (implicit_complementarity: the Newton point was accepted), the share of steps
that reached --tol, and of those that did not and ended before the limit all the same, as in a local minimum.

The functions are the NCP functions over their arguments, by scaling (figures 6 and 9 of Macklin et al. 2019), those of
plugins among them, in float64:

    normal          phi(c(lambda), r_n lambda) with c = lambda/4 - 1/8, so that lambda = 1/2 [N] is the solution: a
                    particle of 0.25 kg, 1/8 m deep in the ground, h = 0.25 s. And from each lambda, the iterations that
                    Newton's method takes to the solution
    compliance      Gamma, of a contact that slides at 0.5 m/s with mu lambda_n = 5 N, over |lambda_f| [N]: a particle
                    of 0.1 kg, h = 0.0083 s
    friction_error  0.5 m/s - Gamma |lambda_f|, which is zero at the cone's limit

Printed is the largest number of iterations that Newton's method takes from any start, and how many starts it is lost
from. A scaling that refines the diagonal by bilateral rows has none to see here, and is left out.

Needs numpy, conditioning h5py, and trajectory scipy. The program is the one that NCPBENCH names, that of the tree, or
that of the PATH."""
import argparse
import ctypes
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import ncpbench
import ncpbench_arrays as arrays
import ncpbench_library as c
import numpy as np

LARGEST = 6000  # rows of a dense matrix
JOINT_ROWS = {0: 6, 1: 3, 2: 5, 3: 5}  # of a fixed joint, a ball, a hinge, a slider (problems/joints.h)
RESTS = ("joints", "attachments", "distances")  # in the order of their rows


def program(*words):
    """What ncpbench prints; its message as an error."""
    tree = pathlib.Path(__file__).resolve().parents[2] / "build"
    name = os.environ.get("NCPBENCH") or shutil.which("ncpbench", path=f"{tree}{os.pathsep}{os.environ['PATH']}")
    if not name:
        raise ncpbench.Error("there is no program ncpbench in the PATH; NCPBENCH can name it")
    ran = subprocess.run([name, *words], capture_output=True, text=True)
    if ran.returncode:
        raise ncpbench.Error((ran.stderr.strip() or f"{words[0]} exits {ran.returncode}").splitlines()[-1])
    return ran.stdout


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def numbers(values):
    """As records have them: what is not finite as null."""
    return [float(value) if np.isfinite(value) else None for value in values]


def append(path, records):
    provenance = json.loads(program("--version", "--json"))
    with open(path, "a") as file:
        file.write("".join(json.dumps({**record, "provenance": provenance}, separators=(",", ":")) + "\n"
                           for record in records))


def check(path):
    """Before the work: what cannot be appended to."""
    if path and os.path.exists(path) and not os.path.isfile(path):
        raise ncpbench.Error(f"{path}: cannot be written: is not a regular file")


def delassus(path, problem):
    rows, dofs = 3 * problem.contacts, 0 if problem.form == "local" else problem.dofs
    if max(rows, dofs) > LARGEST:
        raise ncpbench.Error(f"{path}: {rows} contact rows and {dofs} velocities; dense matrices have at most "
                             f"{LARGEST} rows")
    step = problem.linearized()
    if step.form == "local":
        matrix = dense(step.W)
    else:
        H = dense(step.H)
        matrix = H.T @ np.linalg.solve(dense(step.M), H)
    return (matrix + matrix.T) / 2


def spectrum(options):
    problem = ncpbench.read_problem(options.file)
    matrix = delassus(options.file, problem)
    rows = len(matrix)
    values = np.linalg.eigvalsh(matrix) if rows else np.zeros(0)
    size = abs(matrix)
    entries = np.nonzero(size > np.finfo(float).eps * size.max(initial=0))
    zeros = int(np.sum(abs(values) <= options.zero * values[-1])) if rows else 0
    fill = len(entries[0]) / rows**2 if rows else 0
    diagonal = size.diagonal()
    dominant = int(np.sum(diagonal >= size.sum(axis=1) - diagonal))
    name = json.loads(program("info", options.file, "--json"))["name"]
    settings = {"problem": name, "problem_file": options.file}
    if options.output:
        append(options.output, (
            {"kind": "fill", "version": 1, "settings": settings,
             "trace": {"row": entries[0].tolist(), "column": entries[1].tolist(),
                       "magnitude": numbers(size[entries] / size.max(initial=0))}, "rows": rows, "fill": fill},
            {"kind": "spectrum", "version": 1, "settings": settings,
             "trace": {"index": list(range(1, rows + 1)), "eigenvalue": numbers(values)}, "rows": rows,
             "zeros": zeros, "dominant": dominant}))
    print(f"{name}: {rows} rows, fill {100 * fill:.1f} %, {zeros} eigenvalues are zero "
          f"({100 * zeros / max(rows, 1):.1f} %), largest {values[-1] if rows else 0:.6g} 1/kg; "
          f"{dominant} rows are diagonally dominant")


def take_compliances(path, contacts):
    """E of all rows, in their order; the file is left rigid."""
    import h5py
    compliance = []
    with h5py.File(path, "r+") as file:
        soft = "contacts/compliance" in file
        if contacts and "limits" in file:
            raise ncpbench.Error("limits of joints are no contacts with a compliance")
        if contacts and not soft:
            raise ncpbench.Error("contacts are rigid; condition numbers need --set contact_compliance= and "
                                 "friction_compliance=")
        if "tetrahedra" in file or not (contacts or any(name in file for name in RESTS)):
            raise ncpbench.Error("condition numbers are of nonlinear steps with joints, attachments or distances and "
                                 "without elements")
        for name in filter(file.__contains__, RESTS):
            values = file[name]["compliance"][()]
            if name == "joints":
                compliance += [e for kind, row in zip(file["joints/kind"], values) for e in row[:JOINT_ROWS[kind]]]
            else:
                compliance += np.repeat(values, 3 if name == "attachments" else 1).tolist()
            file[name]["compliance"][()] = 0
        if contacts:
            compliance += file["contacts/compliance"][()][:, [0, 1, 1]].ravel().tolist()
        if soft:
            del file["contacts/compliance"]
        return np.array(compliance), len(file["bodies/mass"]) if "bodies" in file else 0, dict(file["parameters"].attrs)


def kept(J, bodies, axis):
    """Velocities of the translations along an axis, and the rows that meet no other; entries up to round-off do not
    count."""
    dofs = np.arange(J.shape[1])
    inside = np.where(dofs < 6 * bodies, dofs % 6, (dofs - 6 * bodies) % 3) == "xyz".find(axis) if axis != "all" else \
        dofs >= 0
    largest = [abs(J[:, side]).max(axis=1, initial=0) for side in (inside, ~inside)]
    return (largest[0] > 0) & (largest[1] <= 1e-12 * largest[0]), inside


def condition(matrix):
    values = np.linalg.eigvalsh(matrix)
    return values[-1] / values[0]


def conditions(scene, settings, axis, contacts=False):
    """The condition numbers of both systems, and the scene's parameters."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/step.h5"
        program("export", scene, *(word for each in settings for word in ("--set", each)), "-o", path)
        compliance, bodies, parameters = take_compliances(path, contacts)
        problem = ncpbench.read_problem(path)
    if max(problem.dofs, len(compliance)) > LARGEST:
        raise ncpbench.Error(f"{scene}: {problem.dofs} velocities and {len(compliance)} rows; dense matrices have at "
                             f"most {LARGEST} rows")
    step, h = problem.linearized(), problem.time_step
    M, J = dense(step.M), dense(step.G).T if problem.bilaterals else np.zeros((0, problem.dofs))
    if contacts:
        J = np.vstack((J, dense(step.H).T))
    rows, velocities = kept(J, bodies, axis)
    M, J, E = M[np.ix_(velocities, velocities)], J[np.ix_(rows, velocities)], compliance[rows]
    if not len(J):
        raise ncpbench.Error(f"{scene}: no row lies along that axis alone")
    if not all(E > 0):
        hint = ", as by --set compliance=1e-8" if "compliance" in parameters else ""
        raise ncpbench.Error(f"{scene}: row {np.flatnonzero(rows)[np.argmin(E > 0)]} is rigid; condition numbers need compliances above "
                             f"0{hint}")
    return (condition(M + h**2 * J.T @ (J / E[:, None])),
            condition(h**2 * J @ np.linalg.solve(M, J.T) + np.diag(E))), parameters


def conditioning(options):
    values = options.start * (options.end / options.start)**(np.arange(options.points) / max(options.points - 1, 1))
    found = []
    for value in values:
        varied = [f"{name}={value:.17g}" for name in options.vary.split("+")]
        both, parameters = conditions(options.scene, [*options.set, *varied], options.axis, options.contacts)
        if not found:
            print(f"{options.vary:>16}  {'primal':>16}  {'dual':>16}")
        print(f"{value:16.6g}  {both[0]:16.6g}  {both[1]:16.6g}", flush=True)
        found.append(both)
    others = {name: float(value) for name, value in parameters.items() if name not in options.vary.split("+")}
    if options.output:
        append(options.output, (
            {"kind": "conditioning", "version": 1,
             "settings": {"scene": options.scene, "vary": options.vary, "axis": options.axis, "system": system,
                          "parameters": others},
             "trace": {"value": numbers(values), "condition": numbers(column)}}
            for system, column in zip(("primal", "dual"), zip(*found))))


def throw(change, settings, duration):
    """All steps with their answers, and the step at the end, of a ball whose start is changed by that velocity."""
    problem, passed = ncpbench.scene("bouncing_ball", **settings), []
    problem.add_velocity(np.concatenate((change, np.zeros(problem.dofs - 3))))
    for _ in range(round(duration / problem.time_step)):
        passed.append((problem, ncpbench.solve(problem, tol=1e-12)))
        problem = problem.next(passed[-1][1])
    return passed, problem


def miss(change, settings, duration, kind):
    """Half the square of the distance from the target at the end [m^2], and how it answers to the start's velocity."""
    passed, end = throw(change, settings, duration)
    off = end.positions[0] - [end.parameters["target_x"], 0, end.parameters["target_z"]]
    to_position, to_velocity = np.zeros_like(end.positions), np.zeros(end.dofs)
    to_position[0] = off
    for problem, answer in reversed(passed):
        to_position, to_velocity = ncpbench.gradient_back(problem, answer, to_position, to_velocity)
        if kind == "velocity":
            to_position = np.zeros_like(end.positions)
    return off @ off / 2, to_velocity[:3]


def touched(passed):
    """How many bodies meet the ball, which is body 0."""
    return len({body for problem, answer in passed for pair, force in zip(problem.bodies, answer.r.reshape(-1, 3))
                if force[0] > 0 and 0 in pair for body in pair} - {0})


def difference(settings, duration, kind, start, change=1e-6):
    """By how much the gradient at the start is off central differences, over its size."""
    slope, sides = miss(start, settings, duration, kind)[1], change * np.eye(3)
    expected = [(miss(start + side, settings, duration, kind)[0] - miss(start - side, settings, duration, kind)[0])
                / (2 * change) for side in sides]
    return np.linalg.norm(slope - expected) / np.linalg.norm(expected)


def trajectory(options):
    from scipy.optimize import minimize
    settings, start, distance = dict(word.split("=", 1) for word in options.set), np.zeros(3), {}
    of = settings, options.time, options.gradient

    def evaluate(change):
        value, slope = miss(change, *of)
        distance[change.tobytes()] = np.sqrt(2 * value)
        return value, slope

    evaluate(start)
    passed_by = [start]
    found = minimize(evaluate, start, jac=True, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-9, "maxiter": 50},
                     callback=lambda change: passed_by.append(change.copy()))
    distances, (passed, end) = [distance[each.tobytes()] for each in passed_by], throw(found.x, *of[:2])
    record = {"kind": "trajectory", "version": 1,
              "settings": {"scene": "bouncing_ball", "gradient": options.gradient, "duration": options.time,
                           "parameters": end.parameters},
              "trace": {"iteration": list(range(len(distances))), "distance": numbers(distances)},
              "throws": found.nfev, "touched": touched(passed), "difference": difference(*of, start),
              "change": numbers(found.x)}
    if options.output:
        append(options.output, [record])
    print(f"bouncing_ball: {distances[0]:.3g} m off the target at the start, {distances[-1]:.2g} m after "
          f"{len(distances) - 1} iterations and {found.nfev} throws, changed by {np.round(found.x, 4)} m/s, by way of "
          f"{record['touched']} bodies; the gradient at the start is off differences by {record['difference']:.1e} of it")


POINTS, MOST = 201, 50
SLIP, LIMIT = 0.5, 5.0  # [m/s], mu lambda_n [N]
SOLVED = 1e-12  # of phi [m]: some hundred roundings of its terms


def load_plugins(options):
    for path in options.plugin:
        arrays.call(c.plugin_load, os.fsencode(path))


def in_float64(kind, find):
    """The registry's rows of a kind, by name."""
    rows = {}
    while row := c.registry_row(kind, len(rows)):
        rows[row.contents.name] = find(row.contents.name)
    return {name.decode(): found.contents for name, found in rows.items() if found}


def scale(scaling, mass, h):
    """r_n and r_f of one particle's contact."""
    diagonal, normal, friction = np.full(3, 1 / mass), np.zeros(1), np.zeros(1)
    scaling.compute(c.ScalingInput(1, h, arrays.doubles_of(diagonal)), arrays.doubles_of(normal),
                    arrays.doubles_of(friction))
    return normal[0], friction[0]


def phi(ncp, r, force):
    """And its slope over the force."""
    of = force / 4 - 1 / 8, r * force, *np.zeros((3, len(force)))
    ncp.normal(len(force), *map(arrays.doubles_of, of))
    return of[2], of[3] / 4 + of[4] * r


def newton(ncp, r, force):
    """The iterations from each force; NaN: not within MOST."""
    taken = np.full(len(force), np.nan)
    with np.errstate(all="ignore"):
        for k in range(MOST + 1):
            value, slope = phi(ncp, r, force)
            taken[np.isnan(taken) & (abs(value) <= SOLVED)] = k
            force = force - value / slope
    return taken


def functions(options):
    load_plugins(options)
    print(f"{'NCP function':<16}  {'scaling':<16}  {'r_n [m/N]':>10}  {'iterations':>10}  {'lost':>10}")
    records, point = [], np.arange(POINTS)
    for ncp_name, ncp in in_float64(b"ncp", c.ncp_in_float64).items():
        for name, scaling in in_float64(b"scaling", c.scaling_in_float64).items():
            if scaling.refine:
                continue
            (r_normal, _), (_, r_friction) = scale(scaling, 0.25, 0.25), scale(scaling, 0.1, 0.0083)
            pressed, tangent = -0.5 + 2 * point / (POINTS - 1), 2 * LIMIT * point / (POINTS - 1)
            taken, gamma = newton(ncp, r_normal, pressed), np.zeros(POINTS)
            ncp.friction(POINTS, *map(arrays.doubles_of, (np.full(POINTS, SLIP), tangent, np.full(POINTS, LIMIT),
                                                          np.full(POINTS, r_friction), gamma)))
            lost = np.isnan(taken)
            print(f"{ncp_name:<16}  {name:<16}  {r_normal:10.4g}  {max(taken[~lost], default=0):10g}  {sum(lost):10}")
            for quantity, r, force, value in (("normal", r_normal, pressed, phi(ncp, r_normal, pressed)[0]),
                                              ("compliance", r_friction, tangent, gamma),
                                              ("friction_error", r_friction, tangent, SLIP - gamma * tangent)):
                trace = {"force": numbers(force), "value": numbers(value)}
                if quantity == "normal":
                    trace["newton"] = numbers(taken)
                records.append({"kind": "function", "version": 1, "r": float(r), "trace": trace,
                                "settings": {"quantity": quantity, "ncp": ncp_name, "scaling": name}})
    if options.output:
        append(options.output, records)


COLUMNS = ("contacts", "iterations", "slow", "first_try", "solved", "stuck")
HEADS = (("run", *COLUMNS), ("", "mean", "median", "90 %", "[%]", "[%]", "[%]"))
WIDTHS = (8, 9, 11, 8, 12, 8, 8)
SLOW = 0.9  # quantile of the steps that take most
ISLANDS = ("own", "apart", "together")  # as the struct has them


def options_of(settings):
    """Of a solver, by the settings of a record."""
    options = c.options_default()
    for name, kind in c.Options._fields_:
        value = settings.get({"operator_form": "operator", "newton_iterations": "newton_iters",
                              "linear_iterations": "linear_iters"}.get(name, name))
        if name == "islands":
            value = ISLANDS.index(value)
        if value is not None:
            setattr(options, name, value.encode() if kind is c.c_char_p else value)
    return options


class Stepper:
    """Solves steps, each until the judge's step_error is within a tolerance: the whole step's and its islands'."""

    def __init__(self, options, tol, linearized):
        self.options, self.tol, self.linearized, self.warm = options, tol, linearized, c.WarmStart()
        self.step_error = next(m.offset // 8 for m in ncpbench._metrics if m.name == b"step_error")

    def posed(self, problem):
        if not self.linearized:
            return problem
        linear = ncpbench.Problem()
        arrays.call(c.linearize_in, problem._handle, c.unit_roundoff(self.options.precision), linear._handle)
        return linear

    def watch(self, judge, islands, seen):
        values = (c.c_double * len(ncpbench._metrics))()

        def observe(_, iteration, u, forces, report):
            c.judge_evaluate(judge, u, forces, ctypes.byref(values))
            linear = ctypes.cast(report, ctypes.POINTER(c.LinearReport)) if report else None
            seen["first_tries"] += bool(iteration > 0 and linear and linear.contents.iterations == 1)
            seen["iterations"], error = iteration, values[self.step_error]
            seen["reached"] = error <= self.tol
            return not seen["reached"] and math.isfinite(error)

        def observe_island(_, island, iteration, u, forces):
            return not islands.count or c.island_goes_on(islands, island, u, forces, self.tol)

        return c.Observer(None, c.OBSERVE(observe), c.OBSERVE_ISLAND(observe_island))

    def solve(self, problem, u):
        """Of a prepared step, whose velocities go into u, which has those of the step before."""
        posed, seen = self.posed(problem), {"iterations": 0, "first_tries": 0, "reached": False}
        judge, solver, islands, ran = ncpbench._Judge(posed), c.pointer(), c.IslandJudges(), c.Run()
        forces = np.zeros(c.multipliers(posed._handle) + 1)
        velocities, multipliers = arrays.doubles_of(u), arrays.doubles_of(forces)
        arrays.call(c.solver_create, ctypes.byref(solver), posed._handle, ctypes.byref(self.options))
        try:
            arrays.call(c.island_judges_create, ctypes.byref(islands), solver)
            if self.options.warm_start:
                c.warm_start_guess(self.warm, problem._handle, c.step_margin(problem._handle), velocities, multipliers)
                arrays.call(c.solver_start, solver, velocities, multipliers)
            arrays.call(c.solver_run, solver, c.options_iterations(ctypes.byref(self.options)),
                        ctypes.byref(self.watch(judge.handle, islands, seen)), ctypes.byref(ran))
            c.solver_solution(solver, velocities, multipliers)
            if self.options.warm_start:
                arrays.call(c.warm_start_keep, ctypes.byref(self.warm), problem._handle, velocities, multipliers)
        finally:
            c.island_judges_free(islands)
            c.solver_free(solver)
        return seen

    def run(self, problem, steps):
        """What the steps took that had contacts, and how many contacts all had."""
        u, touching, contacts = np.zeros(problem.dofs + 1), [], 0
        for step in range(steps):
            seen, count = self.solve(problem, u), problem.contacts
            if not np.all(np.isfinite(u)):
                raise ncpbench.Error(f"step {step}: the velocity is not finite")
            contacts += count
            touching += [seen] if count else []
            following = ncpbench.Problem()
            arrays.call(c.problem_next, problem._handle, arrays.doubles_of(u), following._handle)
            problem = following
        c.warm_start_free(self.warm)
        return touching, contacts


def share(part, whole, otherwise=100):
    return 100 * part / whole if whole else otherwise


def columns_of(runs, steps, limit):
    """Of one run or of several: the columns, medians and quantiles in the mean over the runs."""
    taken = [sorted(seen["iterations"] for seen in touching) or [0] for touching, _ in runs]
    every = [seen for touching, _ in runs for seen in touching]
    total = sum(seen["iterations"] for seen in every)
    stuck = sum(not seen["reached"] and seen["iterations"] < limit for seen in every)
    return (sum(contacts for _, contacts in runs) / max(steps * len(runs), 1), sum(map(np.median, taken)) / len(runs),
            sum(each[math.ceil(SLOW * len(each)) - 1] for each in taken) / len(runs),
            share(sum(seen["first_tries"] for seen in every), total),
            share(sum(seen["reached"] for seen in every), len(every)), share(stuck, len(every), 0))


def iterations(options):
    given = [word for text in options.set for word in ("--set", text)] + options.others
    given += [word for path in options.plugin for word in ("--plugin", path)]
    load_plugins(options)
    settings = json.loads(program("simulate", options.scene, *given, "--steps", "0", "--json"))["settings"]
    if options.runs > 1 and settings["parameters"].pop("seed", None) is None:
        raise ncpbench.Error(f'--runs: {options.scene} has no parameter "seed"; 1 is allowed')
    parameters, solver = dict(text.split("=", 1) for text in options.set), options_of(settings)
    limit, runs = c.options_iterations(ctypes.byref(solver)), []
    for head in HEADS:
        print("  ".join(f"{word.replace('_', ' '):>{width}}" for word, width in zip(head, WIDTHS)))

    def tell(name, columns):
        print("  ".join((f"{name:>8}", *(f"{x:{width}.1f}" for x, width in zip(columns, WIDTHS[1:])))), flush=True)

    for run in range(1, options.runs + 1):
        if options.runs > 1:
            parameters["seed"] = run
        stepper = Stepper(solver, options.tol, options.linearized)
        runs.append(stepper.run(ncpbench.scene(options.scene, **parameters), options.steps))
        tell(run, columns_of(runs[-1:], options.steps, limit))
    found = columns_of(runs, options.steps, limit)
    tell("all", found)
    of_each = zip(*(columns_of([run], options.steps, limit) for run in runs))
    settings.update(steps=options.steps, runs=options.runs, tol=options.tol, linearized=options.linearized)
    if options.output:
        append(options.output, [{"kind": "iterations", "version": 1, "scene": options.scene, "settings": settings,
                                 **dict(zip(COLUMNS, map(float, found))),
                                 "trace": {name: numbers(values) for name, values in zip(COLUMNS, of_each)}}])


def within(kind, low, high):
    def read(text):
        value = kind(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not within {low:g} and {high:g}")
        return value
    return read


def main(words):
    parser = argparse.ArgumentParser(prog="python3 -m ncpbench_studies", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="STUDY")
    study = commands.add_parser("spectrum", help="fill and eigenvalues of a step's Delassus matrix")
    study.set_defaults(run=spectrum)
    study.add_argument("file")
    study.add_argument("--zero", type=within(float, 0, 1), default=1e-10, metavar="X",
                       help="eigenvalues up to this share of the largest count as zero [%(default)s]")
    study.add_argument("-o", "--output", metavar="FILE.jsonl", help="append the records fill and spectrum")
    study = commands.add_parser("conditioning", help="condition numbers of primal and dual systems")
    study.set_defaults(run=conditioning)
    study.add_argument("scene")
    study.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the scene")
    study.add_argument("--vary", default="ratio", metavar="NAME",
                       help="the parameter, or several as A+B [%(default)s]")
    study.add_argument("--contacts", action="store_true", help="with the rows of soft contacts, all of them closed")
    study.add_argument("--from", dest="start", type=within(float, 1e-300, 1e300), default=1, metavar="X",
                       help="its first value [%(default)s]")
    study.add_argument("--to", dest="end", type=within(float, 1e-300, 1e300), default=1e4, metavar="X",
                       help="its last value [%(default)s]")
    study.add_argument("--points", type=within(int, 1, 1000), default=17, metavar="N", help="values [%(default)s]")
    study.add_argument("--axis", choices=("x", "y", "z", "all"), default="all",
                       help="only translations along it, and rows that meet no other [%(default)s]")
    study.add_argument("-o", "--output", metavar="FILE.jsonl", help="append two records")
    study = commands.add_parser("trajectory", help="how a ball has to start to hit a target by way of floor and wall")
    study.set_defaults(run=trajectory)
    study.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of bouncing_ball")
    study.add_argument("--time", type=within(float, 1e-6, 100), default=0.5, metavar="T", help="in seconds [%(default)s]")
    study.add_argument("--gradient", choices=("all", "velocity"), default="all",
                       help="what goes back from step to step [%(default)s]")
    study.add_argument("-o", "--output", metavar="FILE.jsonl", help="append the record trajectory")
    study = commands.add_parser("iterations", help="how many iterations each time step of a scene takes",
                                allow_abbrev=False)
    study.set_defaults(run=iterations)
    study.add_argument("scene")
    study.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the scene")
    study.add_argument("--plugin", action="append", default=[], metavar="NAME.so", help="a strategy of your own")
    study.add_argument("--steps", type=within(int, 1, 10**6), default=200, metavar="N", help="of a run [%(default)s]")
    study.add_argument("--runs", type=within(int, 1, 10**4), default=1, metavar="R",
                       help="more than one have seed = 1, 2, ... [%(default)s]")
    study.add_argument("--tol", type=within(float, 1e-300, 1), default=1e-8, metavar="X",
                       help="a step is solved where step_error reaches this [%(default)s]")
    study.add_argument("--linearized", action="store_true", help="linearise every step at its start")
    study.add_argument("-o", "--output", metavar="FILE.jsonl", help="append a record")
    study = commands.add_parser("functions", help="NCP functions and friction's compliance over their arguments")
    study.set_defaults(run=functions)
    study.add_argument("--plugin", action="append", default=[], metavar="NAME.so", help="a strategy of your own")
    study.add_argument("-o", "--output", metavar="FILE.jsonl", help="append the records function")
    options, options.others = parser.parse_known_args(words)
    if options.others and options.run is not iterations:
        parser.error(f"unrecognized arguments: {' '.join(options.others)}")
    try:
        check(options.output)
        options.run(options)
    except (ncpbench.Error, OSError, ImportError) as wrong:
        print(f"ncpbench_studies: {wrong}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
