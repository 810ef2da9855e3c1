"""Check JSON documents, one a line or one in all, against a JSON Schema: schema.py SCHEMA FILE...; a line per fault."""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties",
         "patternProperties", "items", "enum", "const", "minimum", "maximum", "minItems", "maxItems", "minLength", "pattern",
         "anyOf", "allOf"}


def has_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and (name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def check(root, schema, value, path):
    if schema.keys() - KNOWN:
        raise SystemExit("not understood: %s" % (schema.keys() - KNOWN))
    if "$ref" in schema:
        yield from check(root, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, path)
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(has_type(value, n) for n in names):
        yield "%s: not %s" % (path, " or ".join(names))
        return
    if "const" in schema and not same(value, schema["const"]):
        yield "%s: not %r" % (path, schema["const"])
    if "enum" in schema and not any(same(value, e) for e in schema["enum"]):
        yield "%s: %r is none of the choices" % (path, value)
    if "anyOf" in schema and all(list(check(root, s, value, path)) for s in schema["anyOf"]):
        yield "%s: fits none of the forms" % path
    for s in schema.get("allOf", []):
        yield from check(root, s, value, path)
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                yield "%s: no %s" % (path, key)
        for key, member in value.items():
            of = [schema["properties"][key]] if key in schema.get("properties", {}) else []
            of += [s for p, s in schema.get("patternProperties", {}).items() if re.search(p, key)]
            rest = schema.get("additionalProperties", True)
            if not of and rest is False:
                yield "%s.%s: an unknown key" % (path, key)
            if not of and isinstance(rest, dict):
                of = [rest]
            for s in of:
                yield from check(root, s, member, path + "." + key)
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
            yield "%s: %d elements" % (path, len(value))
        for i, element in enumerate(value):
            yield from check(root, schema.get("items", {}), element, "%s[%d]" % (path, i))
    if has_type(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield "%s: %r is out of range" % (path, value)
    if isinstance(value, str) and (len(value) < schema.get("minLength", 0) or not re.search(schema.get("pattern", ""), value)):
        yield "%s: %r has another form" % (path, value)


def documents(text):
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


schema = json.load(open(sys.argv[1]))
faults = 0
for name in sys.argv[2:]:
    for document in documents(open(name).read()):
        for fault in check(schema, schema, document, ""):
            print("%s: %s" % (name, fault))
            faults += 1
sys.exit(bool(faults))
