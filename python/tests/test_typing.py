# SPDX-License-Identifier: BSD-3-Clause
"""The stub says what is there."""

import ast
import os
import unittest

import collectives as coll


def names(body):
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in body if isinstance(node, kinds)}


class Typing(unittest.TestCase):
    def test_names(self):
        folder = os.path.dirname(coll.__file__)
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))
        with open(os.path.join(folder, "__init__.pyi")) as file:
            stub = ast.parse(file.read())
        self.assertEqual(names(stub.body) - {"Options"} | {"algorithms"}, set(coll.__all__))
        for node in stub.body:
            if not isinstance(node, ast.ClassDef) or node.name == "Options":
                continue
            there = {n for n in vars(getattr(coll, node.name)) if not n.startswith("_")}
            attributes = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            said = {n for n in names(node.body) | attributes if not n.startswith("_")}
            self.assertEqual(said, there, node.name)


if __name__ == "__main__":
    unittest.main()
