import enum
import importlib
import inspect
import json
import sys

with open({plan}, encoding="utf-8") as plan:
    PLAN = json.load(plan)
sys.path[:0] = PLAN["path"]


CHANGED = []  # arguments that the last calls have changed
MODULE = []  # whose exports make arguments
TAKEN = {}  # by identity: what the last call was given that can be changed
GIVEN = {}  # the same of what calls have given, which keeps it alive


class Cannot(Exception):
    pass


def thrown(e):
    return {"names": [c.__name__ for c in type(e).__mro__], "text": str(e)}


def value(v):
    kind = v["kind"]
    if kind == "null":
        return None
    if kind == "bool":
        return v["text"] == "true"
    if kind == "number":
        return number(v["text"])
    if kind == "string":
        return v.get("text", "")
    if kind == "list":
        return {"tuple": tuple, "set": set}.get(v.get("text"), list)(value(x) for x in v.get("list", []))
    if kind == "code":
        try:
            return eval(v["text"], {**vars(MODULE[0]), **VARIABLES})
        except SyntaxError as e:
            raise Cannot("a function cannot be read: " + str(e)) from None
    if kind == "call":
        return chain(v["call"])
    return {number(f["name"]) if f.get("number") else f["name"]: value(f["value"]) for f in v.get("fields", [])}


def number(text):
    return float(text) if set(text) & set(".eEN") else int(text)


STANDARD = {
    **dict.fromkeys(["len", "sorted", "str", "list", "dict", "set", "tuple", "frozenset", "bytes", "bytearray"], "builtins"),
    **dict.fromkeys(["deque", "OrderedDict", "Counter", "defaultdict"], "collections"),
    **dict.fromkeys(["date", "datetime", "time", "timedelta"], "datetime"),
    **{"Decimal": "decimal", "Fraction": "fractions", "UUID": "uuid", "Path": "pathlib"},
}


def containers(v, depth=0):
    if depth > 6:
        return
    if type(v) in (list, dict, set, bytearray):
        yield v
    if type(v) in (list, tuple, set):
        inner = v
    elif type(v) is dict:
        inner = v.values()
    else:
        inner = getattr(v, "__dict__", {}).values()
    for x in inner:
        yield from containers(x, depth + 1)


def gives(v):
    """Reports whether v, or something in it, is not its own, and notes what it has."""
    all = {id(c): c for c in containers(v)}
    shared = {i for i in all if i in GIVEN or i in TAKEN}
    GIVEN.update(all)
    return {"same": id(v) in shared, "shared": bool(shared)}


VARIABLES = {}


def home(link):
    """The module that has the first name of a chain: that of the call, which may import it, a common one, or another of the project."""
    name = link["name"].split(".")[0]
    own = getattr(MODULE[0], name, None)
    if not link.get("module") and name in STANDARD and not isinstance(own, type):
        return importlib.import_module(STANDARD[name])
    if own is None and link.get("module"):
        return importlib.import_module(link["module"])
    return MODULE[0]


def called(f, list, named):
    """Calls f. An object at the end whose names are those of further parameters has keywords."""
    args = [value(x) for x in list]
    try:
        signature = inspect.signature(f)
    except ValueError:
        signature = None
    if signature:
        further = [*signature.parameters][len(args) - 1 :] if args else []
        if args and type(args[-1]) is dict and args[-1] and set(args[-1]) <= set(further):
            *args, named = args
        try:
            signature.bind(*args, **named)
        except TypeError as e:
            raise Cannot("it cannot be called like this: " + str(e)) from None
    TAKEN.update((id(c), c) for x in (*args, *named.values()) for c in containers(x))
    given = f(*args, **named)
    CHANGED.extend(x for x, v in zip(args, list) if v["kind"] not in ("call", "code") and shown(x) != shown(value(v)))
    return given


def shown(v, depth=0):
    if v is None or type(v) in (bool, int, str):
        return v
    if type(v) is float:
        if v != v or v in (float("inf"), float("-inf")):
            return {"$type": "float", "$text": {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(v)]}
        return v
    if depth > 20:
        return {"$type": type(v).__name__, "$text": "..."}
    if type(v) in (list, tuple):
        return [shown(x, depth + 1) for x in v]
    if type(v) in (set, frozenset):
        return sorted((shown(x, depth + 1) for x in v), key=json.dumps)
    if isinstance(v, dict) and all(type(k) is str and not k.startswith("$") for k in v):
        return {k: shown(x, depth + 1) for k, x in v.items()}
    if isinstance(v, dict):
        return {str(k): shown(x, depth + 1) for k, x in v.items()}
    if inspect.isgenerator(v) or type(v).__module__ in ("builtins", "itertools") and hasattr(v, "__next__"):
        return [shown(x, depth + 1) for _, x in zip(range(10000), v)]
    out = {"$type": type(v).__name__, "$text": str(v)}
    if isinstance(v, enum.Enum):
        out["$name"], out["$value"] = v.name, shown(v.value, depth + 1)
    elif isinstance(v, str):
        out["$value"] = str.__str__(v)
    elif isinstance(v, int):
        out["$value"] = int(v)
    elif isinstance(v, float):
        out["$value"] = float(v)
    elif isinstance(v, tuple):
        out["$value"] = [shown(x, depth + 1) for x in v]
        out["$fields"] = {k: shown(getattr(v, k), depth + 1) for k in getattr(v, "_fields", ())}
    else:
        out["$fields"] = {k: shown(x, depth + 1) for k, x in getattr(v, "__dict__", {}).items()}
    return out


def chain(links):
    at = home(links[0])
    for i, link in enumerate(links):
        if link.get("var"):
            at = VARIABLES[link["name"]]
            continue
        if link.get("index"):
            at = at[value(link["index"])]
            continue
        try:
            f = at
            for part in filter(None, link["name"].split(".")):
                f = getattr(f, part)
        except AttributeError as e:
            if i == 0:
                raise Cannot(str(e)) from None
            raise
        named = {f["name"]: value(f["value"]) for f in link.get("fields", [])}
        at = f if link.get("field") else called(f, link["args"] or [], named)
        if inspect.iscoroutine(at):
            import asyncio

            at = asyncio.run(at)
    return at


def sequence(c):
    VARIABLES.clear()
    for step in c["before"] or []:
        try:
            given = chain(step["call"])
        except Exception as e:
            if step.get("name") or isinstance(e, Cannot):
                raise
        else:
            if step.get("name"):
                VARIABLES[step["name"]] = given
            else:
                gives(given)
    return chain(c["call"])


def tell(c):
    try:
        MODULE[:] = [importlib.import_module(c["module"])]
    except BaseException as e:
        return {"cannot": "the module cannot be loaded outside of its tests: " + type(e).__name__ + ": " + str(e)}
    CHANGED.clear()
    TAKEN.clear()
    try:
        given = sequence(c)
    except Cannot as e:
        return {"cannot": str(e)}
    except AttributeError as e:
        if type(getattr(e, "obj", None)) is dict:  # it wants an object of a class
            return {"cannot": str(e)}
        return {"error": thrown(e)}
    except BaseException as e:
        return {"error": thrown(e)}
    try:
        return {"value": shown(given), "changed": bool(CHANGED), **gives(given)}
    except BaseException as e:
        return {"cannot": "what it gives cannot be shown: " + type(e).__name__ + ": " + str(e)}


with open(PLAN["out"], "w", encoding="utf-8") as out:
    for c in PLAN["calls"]:
        out.write(json.dumps({"id": c["id"], **tell(c)}, default=str) + "\n")
        out.flush()
