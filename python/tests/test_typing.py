# SPDX-License-Identifier: BSD-3-Clause
"""The stub says what is there."""

import ast
import inspect
import os
import re
import unittest

import collectives as coll

OF_THE_STUB_ALONE = {"Options", "FusionOptions"}


def names(body):
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in body if isinstance(node, kinds)}


def parameters(function):
    """Their names, by what Python or nanobind knows of a function."""
    if inspect.isfunction(function):
        return list(inspect.signature(function).parameters)
    (signature, *_), = function.__nb_signature__
    given = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    return re.findall(r"(?:^|, )\*{0,2}(\w+)", re.sub(r"\[[^]]*\]", "", given))


class Typing(unittest.TestCase):
    def setUp(self):
        folder = os.path.dirname(coll.__file__)
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))
        with open(os.path.join(folder, "__init__.pyi")) as file:
            self.stub = ast.parse(file.read())

    def classes(self):
        for node in self.stub.body:
            if isinstance(node, ast.ClassDef) and node.name not in OF_THE_STUB_ALONE:
                yield node, getattr(coll, node.name)

    def test_names(self):
        said = names(self.stub.body) - OF_THE_STUB_ALONE | {"algorithms"}
        self.assertEqual(said, set(coll.__all__))
        for node, itself in self.classes():
            there = {n for n in vars(itself) if not n.startswith("_")}
            there |= set(vars(itself).get("__annotations__", {}))
            attributes = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            said = {n for n in names(node.body) | attributes if not n.startswith("_")}
            self.assertEqual(said, there, node.name)

    def test_parameters(self):
        compared = 0
        for node, itself in self.classes():
            for method in node.body:
                if not isinstance(method, ast.FunctionDef) or method.name == "__exit__":
                    continue
                function = getattr(itself, method.name)
                if callable(function):  # no property
                    of = method.args
                    said = [a.arg for a in of.args + of.kwonlyargs + [of.kwarg] if a is not None]
                    self.assertEqual(said, parameters(function), f"{node.name}.{method.name}")
                    compared += 1
        self.assertGreater(compared, 50)


if __name__ == "__main__":
    unittest.main()
