import enum
import importlib
import inspect
import json
import sys

with open({plan}, encoding="utf-8") as plan:
    PLAN = json.load(plan)
sys.path[:0] = PLAN["path"]


CHANGED = []  # arguments that the last calls have changed


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
        text = v["text"]
        return float(text) if set(text) & set(".eEN") else int(text)
    if kind == "string":
        return v.get("text", "")
    if kind == "list":
        return [value(x) for x in v.get("list", [])]
    return {f["name"]: value(f["value"]) for f in v.get("fields", [])}


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


def call(links):
    at = importlib.import_module(links[0]["module"])
    for i, link in enumerate(links):
        try:
            f = at
            for part in link["name"].split("."):
                f = getattr(f, part)
        except AttributeError as e:
            if i == 0:
                raise Cannot(str(e)) from None
            raise
        if link.get("fields"):
            args, named = [], {f["name"]: value(f["value"]) for f in link["fields"]}
        else:
            args, named = [value(x) for x in link["args"]], {}
        try:
            inspect.signature(f).bind(*args, **named)
        except TypeError as e:
            raise Cannot("it cannot be called so: " + str(e)) from None
        except ValueError:
            pass
        at = f(*args, **named)
        CHANGED.extend(x for x, v in zip(args, link["args"]) if shown(x) != shown(value(v)))
        if inspect.iscoroutine(at):
            import asyncio

            at = asyncio.run(at)
    return at


def tell(links):
    try:
        importlib.import_module(links[0]["module"])
    except BaseException as e:
        return {"cannot": "the module cannot be loaded outside of its tests: " + type(e).__name__ + ": " + str(e)}
    CHANGED.clear()
    try:
        given = call(links)
    except Cannot as e:
        return {"cannot": str(e)}
    except BaseException as e:
        return {"error": thrown(e)}
    try:
        return {"value": shown(given), "changed": bool(CHANGED)}
    except BaseException as e:
        return {"cannot": "what it gives cannot be shown: " + type(e).__name__ + ": " + str(e)}


with open(PLAN["out"], "w", encoding="utf-8") as out:
    for c in PLAN["calls"]:
        out.write(json.dumps({"id": c["id"], **tell(c["call"])}, default=str) + "\n")
        out.flush()
