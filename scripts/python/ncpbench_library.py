"""libncpbench.so by ctypes: the structs and functions of harness/ncpbench.h that ncpbench.py uses, under their names
without nb_. The C headers say what each means."""
import ctypes
import os
import pathlib
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p

NAME = "libncpbench.so.1"


class Error(ctypes.Structure):
    _fields_ = [("text", c_char * 512)]


class Csr(ctypes.Structure):
    _fields_ = [("rows", c_int), ("columns", c_int), ("start", POINTER(c_int)), ("column", POINTER(c_int)),
                ("value", POINTER(c_double))]


class Step(ctypes.Structure):
    _fields_ = [("dofs", c_int), ("contacts", c_int), ("bilaterals", c_int), ("mass", Csr),
                ("contact_jacobian", Csr), ("bilateral_jacobian", Csr), ("delassus", Csr),
                ("force", POINTER(c_double)), ("contact_velocity", POINTER(c_double)),
                ("bilateral_velocity", POINTER(c_double)), ("friction", POINTER(c_double))]


class Places(ctypes.Structure):
    _fields_ = [("count", c_int), ("body", POINTER(c_int)), ("point", POINTER(c_double)), ("frame", POINTER(c_double))]


class Parameter(ctypes.Structure):
    _fields_ = [("name", c_char * 32), ("value", c_double)]


class Options(ctypes.Structure):
    _fields_ = [(name, c_char_p) for name in ("solver", "ncp", "scaling", "newton_form", "linear", "precond",
                                              "operator_form", "precision")] + [
        ("newton_iterations", c_int), ("linear_iterations", c_int), ("damping", c_double), ("shift", c_double),
        ("threads", c_int), ("islands", c_int), ("warm_start", c_bool),
        ("refine", c_int)]


class ApplicationTimes(ctypes.Structure):
    _fields_ = [("elsewhere", c_long), ("elsewhere_seconds", c_double), ("kept", c_int), ("every", c_int),
                ("sample", c_double * 64)]


class Run(ctypes.Structure):
    _fields_ = [("newton_iterations", c_int), ("linear_iterations", c_long), ("operator_applications", c_long),
                ("preconditioner_applications", c_long), ("applications", ApplicationTimes),
                ("product_bytes", c_size_t), ("assembly_seconds", c_double),
                ("preparation_seconds", c_double), ("linear_seconds", c_double), ("untimed_seconds", c_double),
                ("broke_down", c_bool), ("detail", c_char * 160)]


OBSERVE_ISLAND = ctypes.CFUNCTYPE(c_bool, c_void_p, c_int, c_int, POINTER(c_double), POINTER(c_double))
OBSERVE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_int, POINTER(c_double), POINTER(c_double), c_void_p)


class Observer(ctypes.Structure):
    _fields_ = [("context", c_void_p), ("observe", OBSERVE), ("observe_island", OBSERVE_ISLAND)]


class LinearReport(ctypes.Structure):
    _fields_ = [("ending", c_int), ("iterations", c_int), ("detail", c_char_p)]


class RegistryRow(ctypes.Structure):
    _fields_ = [(name, c_char_p) for name in ("kind", "name", "title", "file")]


_OF_CONTACTS = ctypes.CFUNCTYPE(None, c_size_t, *[POINTER(c_double)] * 5)


class Ncp(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("source", c_char_p), ("normal", _OF_CONTACTS),
                ("friction", _OF_CONTACTS)]


class ScalingInput(ctypes.Structure):
    _fields_ = [("contacts", c_size_t), ("time_step", c_double), ("diagonal", POINTER(c_double))]


class Scaling(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("source", c_char_p), ("own_units", c_int),
                ("refine", c_void_p),
                ("compute", ctypes.CFUNCTYPE(None, POINTER(ScalingInput), *[POINTER(c_double)] * 2))]


class IslandJudges(ctypes.Structure):
    _fields_ = [("count", c_int), ("judge", c_void_p)]


class WarmStart(ctypes.Structure):
    _fields_ = [("contacts", c_int), ("bilaterals", c_int), ("dofs", c_int), ("contact", c_void_p),
                ("bilateral", c_void_p), ("u", c_void_p)]


class Extras(ctypes.Structure):
    _fields_ = [("u", POINTER(c_double)), ("forces", POINTER(c_double)), ("system_count", c_int), ("systems", c_void_p),
                ("settings", c_char_p), ("simulation", c_void_p), ("uncompressed", c_int)]


class Metric(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p), ("offset", c_size_t),
                ("scope", c_int), ("place", c_int), ("shown", c_bool), ("column", c_bool)]


def load():
    """The library that NCPBENCH_LIBRARY names, or that of the wheel, the prefix or the tree that this file is in, or
    the system's."""
    beside = (str(folder / name) for folder in pathlib.Path(__file__).resolve().parents
              for name in (f"ncpbench_native/{NAME}", NAME, f"lib/{NAME}", f"build/{NAME}"))
    path = os.environ.get("NCPBENCH_LIBRARY") or next(filter(os.path.exists, beside), NAME)
    try:
        return ctypes.CDLL(path)
    except OSError as reason:
        raise ImportError(f"ncpbench: {reason}; NCPBENCH_LIBRARY names the file {NAME}") from None


library = load()


def function(name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


doubles, pointer, error = POINTER(c_double), c_void_p, POINTER(Error)
problem_new = function("nb_problem_new", pointer)
problem_delete = function("nb_problem_delete", None, pointer)
problem_read = function("nb_problem_read", c_int, c_char_p, pointer, error)
problem_write = function("nb_problem_write", c_int, c_char_p, pointer, POINTER(Extras), error)
set_linear = function("nb_problem_set_linear", c_int, pointer, c_int, c_char_p, POINTER(Step), error)
linear_step = function("nb_problem_linear_step", POINTER(Step), pointer)
linearize = function("nb_problem_linearize", c_int, pointer, pointer, error)
linearize_in = function("nb_problem_linearize_in", c_int, pointer, c_double, pointer, error)
unit_roundoff = function("nb_unit_roundoff", c_double, c_char_p)
places = function("nb_problem_places", c_int, pointer, POINTER(c_int), POINTER(c_double), POINTER(c_double))
place = function("nb_problem_place", c_int, pointer, POINTER(Places), error)
scene_create = function("nb_scene_create", c_int, c_char_p, c_int, POINTER(c_char_p), pointer, error)
step_prepare = function("nb_step_prepare", c_int, pointer, error)
problem_next = function("nb_problem_next", c_int, pointer, doubles, pointer, error)
form = function("nb_problem_form", c_int, pointer)
parameters = function("nb_problem_parameters", c_int, pointer, POINTER(POINTER(Parameter)))
time_step = function("nb_problem_time_step", c_double, pointer)
dofs, contacts, bilaterals, multipliers = (function(f"nb_problem_{name}", c_int, pointer)
                                           for name in ("dofs", "contacts", "bilaterals", "multipliers"))
solution_read = function("nb_solution_read", c_int, c_char_p, pointer, POINTER(doubles), POINTER(doubles), error)
options_default = function("nb_options_default", Options)
options_validate = function("nb_options_validate", c_int, POINTER(Options), error)
options_iterations = function("nb_options_iterations", c_int, POINTER(Options))
solver_create = function("nb_solver_create", c_int, POINTER(pointer), pointer, POINTER(Options), error)
solver_start = function("nb_solver_start", c_int, pointer, doubles, doubles, error)
solver_run = function("nb_solver_run", c_int, pointer, c_int, POINTER(Observer), POINTER(Run), error)
solver_solution = function("nb_solver_solution", None, pointer, doubles, doubles)
solver_free = function("nb_solver_free", None, pointer)
judge_create = function("nb_judge_create", c_int, POINTER(pointer), pointer, error)
judge_evaluate = function("nb_judge_evaluate", None, pointer, doubles, doubles, pointer)
judge_free = function("nb_judge_free", None, pointer)
island_judges_create = function("nb_island_judges_create", c_int, POINTER(IslandJudges), pointer, error)
island_goes_on = function("nb_island_goes_on", c_bool, POINTER(IslandJudges), c_int, doubles, doubles, c_double)
island_judges_free = function("nb_island_judges_free", None, POINTER(IslandJudges))
step_margin = function("nb_step_margin", c_double, pointer)
warm_start_keep = function("nb_warm_start_keep", c_int, POINTER(WarmStart), pointer, doubles, doubles, error)
warm_start_guess = function("nb_warm_start_guess", c_int, POINTER(WarmStart), pointer, c_double, doubles, doubles)
warm_start_free = function("nb_warm_start_free", None, POINTER(WarmStart))
gradient_name = function("nb_gradient_name", c_char_p, c_int)
gradient_create = function("nb_gradient_create", c_int, POINTER(pointer), pointer, doubles, doubles, error)
gradient_solve = function("nb_gradient_solve", c_int, pointer, doubles, error)
gradient_size = function("nb_gradient_size", c_int, pointer, c_int)
gradient_take = function("nb_gradient_take", None, pointer, c_int, doubles)
gradient_free = function("nb_gradient_free", None, pointer)
scale_masses, push, add_velocity = (function(f"nb_problem_{name}", c_int, pointer, doubles, error)
                                    for name in ("scale_masses", "push", "add_velocity"))
masses = function("nb_problem_masses", None, pointer, doubles)
positions = function("nb_problem_positions", None, pointer, doubles)
metric_at = function("nb_metric_at", POINTER(Metric), c_int)
function("nb_problem_hdf5_silent", None)()  # as h5py's own errors are
registry_row = function("nb_registry_row", POINTER(RegistryRow), c_char_p, c_size_t)
ncp_in_float64 = function("nb_ncp_in_float64", POINTER(Ncp), c_char_p)
scaling_in_float64 = function("nb_scaling_in_float64", POINTER(Scaling), c_char_p)
plugin_load = function("nb_plugin_load", c_int, c_char_p, error)
free = ctypes.CDLL(None).free
free.argtypes, free.restype = [c_void_p], None
