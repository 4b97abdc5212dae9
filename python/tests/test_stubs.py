"""The stubs say what the package has: the same names, and the same parameters with the same defaults."""

import ast
import inspect
import unittest

from support import PACKAGE, toyc

STUBS = ast.parse((PACKAGE / "toyc" / "__init__.pyi").read_text())


def parameters(signature):
    """Names and defaults, in order, with `*` and `**`."""
    return [f"{p.kind.name} {p.name}" + ("" if p.default is p.empty else f" = {p.default!r}")
            for p in signature.parameters.values()]


def stubbed(function):
    """The signature of a function of the stubs: without its types, it is Python that runs."""
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    made = ast.FunctionDef(name="made", args=function.args, body=[ast.Pass()], decorator_list=[], type_params=[])
    names = {}
    exec(compile(ast.fix_missing_locations(ast.Module([made], [])), "stubs", "exec"), names)
    return parameters(inspect.signature(names["made"]))


class Stubs(unittest.TestCase):
    def test_names(self):
        listed = next(node.value for node in STUBS.body if isinstance(node, ast.Assign)
                      and node.targets[0].id == "__all__")
        self.assertEqual(ast.literal_eval(listed), toyc.__all__)
        public = {node.name for node in STUBS.body if hasattr(node, "name") and not node.name.startswith("_")}
        failures = {"RuntimeError", "IndexError", "RecursionError", "MemoryError"}
        self.assertEqual(public, {*toyc.__all__, *failures})

    def test_parameters(self):
        hidden = {"_Function": toyc._module.Function, "_Gradient": toyc._module.Gradient}
        for node in STUBS.body:
            if isinstance(node, ast.FunctionDef):
                self.assertEqual(stubbed(node), parameters(inspect.signature(getattr(toyc, node.name))), node.name)
            elif isinstance(node, ast.ClassDef):
                real = hidden.get(node.name) or getattr(toyc, node.name)
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and not method.decorator_list:
                        found = parameters(inspect.signature(inspect.getattr_static(real, method.name)))
                        self.assertEqual(stubbed(method), found, f"{node.name}.{method.name}")

    def test_bases(self):
        for node in STUBS.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                bases = [ast.unparse(base).removeprefix("builtins.") for base in node.bases] or ["object"]
                self.assertEqual(bases, [base.__name__ for base in getattr(toyc, node.name).__bases__], node.name)


if __name__ == "__main__":
    unittest.main()
