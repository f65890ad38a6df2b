"""What Python users see of armature, as JSON, from the sources alone: node's side is api.js.

    python_api.py PYTHON    the folder with armature/ and src/

[{"module", "doc", "items": [{"kind", "name", "signature", "doc", "members": […]}]}]. Names are those of each module's
`__all__` that `armature` itself has too. Classes of the compiled part have their signatures from the stub and their
words from the bindings.
"""

import ast
import json
import pathlib
import re
import sys

PYTHON = pathlib.Path(sys.argv[1])
PACKAGE = PYTHON / "armature"


def parsed(path):
    return ast.parse(path.read_text(), str(path))


# --- The compiled part: its words stand in C++ strings -------------------------------------------

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def past_call(text, at):
    """The place behind the ) of the ( at `at`."""
    depth = 0
    while True:
        if text[at] == '"':
            at = STRING.match(text, at).end()
            continue
        if text[at] == "'":
            at += 3 if text[at + 1] != "\\" else 4
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at


PIECES = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def joined(pieces):
    return json.loads('"' + "".join(STRING.findall(pieces)).replace("\\'", "'") + '"')


def last_words(call):
    """The string that a call ends in, of as many pieces as there are; empty if it ends in something else."""
    found = re.search(r"[,(]\s*" + PIECES + r"\)$", call)
    return joined(found.group(1)) if found else ""


def other_words(text):
    """What is bound without pybind11's help: exceptions, and what brings its signature in its words."""
    for name, pieces in re.findall(r'(?:new_class\(module|\{DecisionMistake::\w+),\s*"(\w+)",\s*' + PIECES, text):
        yield (name, ""), joined(pieces)
    for variable, pieces in re.findall(r"static const char\* (\w+) =\s*" + PIECES + ";", text):
        signed, _, words = joined(pieces).partition("\n--\n\n")
        name = signed.split("(")[0]
        yield (name, ""), words
        for alias in re.findall(r'method\("(\w+)", \w+, ' + variable + r"\)", text):
            yield ("Policy", alias), words


def bound_words():
    """(class, name) → words, of everything bound; the class itself under the name ''."""
    words = {}
    for path in sorted((PYTHON / "src").glob("*.cpp")):
        text = re.sub(r"//[^\n\"]*\n", "\n", path.read_text())
        words.update(other_words(text))
        owner = ""
        for found in re.finditer(r"py::class_<[^;{]*?>\s*(?:\w+\s*)?(?=\()|\.def(?:_\w+)?(?=\()|\bmodule\.def(?=\()", text):
            call = text[found.end():past_call(text, found.end())]
            names = STRING.findall(call)
            if not names:
                continue
            if found.group().startswith("py::class_"):
                owner = names[0]
                words[owner, ""] = last_words(call) if len(names) > 1 else ""
            else:
                said = last_words(call) if len(names) > 1 else ""
                place = ("" if found.group().startswith("module") else owner, names[0])
                words[place] = words.get(place) or said
    return words


# --- Signatures -----------------------------------------------------------------------------------

def signature(node):
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases if not ast.unparse(base).startswith(("_engine.", "Generic"))]
        return f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    parts = [spaced(part) for part in split_arguments(ast.unparse(node.args)) if part not in ("self", "cls", "")]
    arguments = ", ".join(parts)
    one_line = f"def {node.name}({arguments}){returns}"
    if len(one_line) <= 100:
        return one_line
    return f"def {node.name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def spaced(argument):
    """`n: int=1` as people write it."""
    name, colon, rest = argument.partition(": ")
    kind, sign, default = rest.partition("=")
    return f"{name}: {kind} = {default}" if colon and sign and "(" not in kind else argument


def decorators(node):
    return [ast.unparse(one) for one in getattr(node, "decorator_list", [])]


def is_public(name):
    return not name.startswith("_") or name in ("__init__", "__call__")


def entry(node, words, owner=""):
    if isinstance(node, ast.AnnAssign):
        return {"kind": "field", "name": ast.unparse(node.target), "signature": signature(node), "doc": ""}
    doc = ast.get_docstring(node) or words.get((owner, "" if node.name == owner else node.name), "")
    if isinstance(node, ast.ClassDef):
        doc = doc or words.get((node.name, ""), "")
        return {"kind": "class", "name": node.name, "signature": signature(node), "doc": doc, "members": members(node, words)}
    marks = decorators(node)
    kind = "property" if "property" in marks or "cached_property" in marks else "function"
    text = signature(node)
    if kind == "property":
        text = node.name + (f": {ast.unparse(node.returns)}" if node.returns else "")
    elif "staticmethod" in marks or "classmethod" in marks:
        text = f"@{'staticmethod' if 'staticmethod' in marks else 'classmethod'}\n{text}"
    return {"kind": kind, "name": node.name, "signature": text, "doc": doc}


def members(node, words):
    found = []
    for one in node.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Name):
            # Another name for something above.
            name = ast.unparse(one.targets[0])
            found += [{**made, "name": name, "signature": made["signature"].replace(f"def {made['name']}(", f"def {name}(")}
                      for made in found if made["name"] == one.value.id and is_public(name)]
            continue
        name = ast.unparse(one.target) if isinstance(one, ast.AnnAssign) else getattr(one, "name", "_")
        if is_public(name) and isinstance(one, (ast.FunctionDef, ast.AnnAssign)) and not any(
            mark.endswith(".setter") for mark in decorators(one)
        ):
            made = entry(one, words, node.name)
            # What only the package itself can make is made by functions; its way of making them is nobody's business.
            if name != "__init__" or not re.search(r"_engine\.|fields: dict", made["signature"]):
                found.append(made)
    return found


# --- Modules --------------------------------------------------------------------------------------

def definitions(tree):
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign):
            found.setdefault(ast.unparse(node.target), []).append(node)
    return found


def listed(tree):
    """The strings of `__all__`, or None if there is none."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if target is not None and ast.unparse(target) == "__all__":
            return [one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)]
    return None


def main():
    engine = definitions(parsed(PACKAGE / "_engine.pyi"))
    words = bound_words()
    package = parsed(PACKAGE / "__init__.py")
    imported = {}
    everything = set(listed(package))
    for node in package.body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("armature."):
            names = [alias.name for alias in node.names]
            if names == ["*"]:
                names = listed(parsed(PACKAGE / f"{node.module.split('.')[1]}.py"))
                everything.update(names)
            imported.setdefault(node.module, []).extend(names)
    modules = [{"module": "armature", "doc": ast.get_docstring(package), "items": []}]
    for module, names in imported.items():
        stem = module.split(".")[1]
        if stem == "_engine":
            continue
        tree = parsed(PACKAGE / f"{stem}.py")
        own = definitions(tree)
        items = []
        for name in sorted(set(names) & everything):
            nodes = own.get(name) or engine[name]
            item = entry(nodes[-1], words)
            # A class of ours over one of the engine's has its members too.
            if name in own and name in engine and item["kind"] == "class":
                known = {member["name"] for member in item["members"]}
                item["members"] += [one for one in members(engine[name][-1], words) if one["name"] not in known]
            items.append(item)
        modules.append({"module": module, "doc": ast.get_docstring(tree) or "", "items": items})
    json.dump(modules, sys.stdout)


main()
