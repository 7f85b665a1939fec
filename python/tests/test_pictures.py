# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of algorithms, and the notebook of the documentation."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as xml

import collectives as coll

NOTEBOOK = pathlib.Path(__file__).parents[2] / "docs" / "python.ipynb"
SVG = "{http://www.w3.org/2000/svg}"


class Pictures(unittest.TestCase):
    def test_every_algorithm_is_drawn(self):
        for name in coll.algorithms:
            if name in ("automatic", "hierarchical", "leaders"):
                continue
            with self.subTest(name):
                picture = coll.show(name, 4)
                self.assertEqual(picture.title, f"{name}: all_reduce over 4 ranks")
                tree = xml.fromstring(picture.svg)
                self.assertEqual(tree.tag, SVG + "svg")
                texts = [t.text for t in tree.iter(SVG + "text")]
                self.assertIn(picture.title, texts)
                rounds = coll.cost(name, 4, 1 << 20).rounds
                self.assertEqual(sum(t.startswith("round ") for t in texts), rounds)
                self.assertEqual(picture._repr_svg_(), picture.svg)

    def test_a_rooted_collective(self):
        picture = coll.show("tree", 5, "broadcast", root=2)
        self.assertEqual(repr(picture), "<Picture: tree: broadcast over 5 ranks, root 2>")
        self.assertIn(">round 2</text>", picture.svg)

    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "ring.svg")
            coll.show("ring", 3).save(file)
            self.assertEqual(xml.parse(file).getroot().tag, SVG + "svg")

    def test_mistakes(self):
        for given, why in ((("rring", 4), "rring"), (("automatic", 4), "name an algorithm"),
                           (("ring", 0), "not of 0"), (("ring", 5000), "not of 5000"),
                           (("hierarchical:3", 4), "not for 4 ranks"),
                           (("tree", 4, "broadcast", 4), "root 4"), (("ring", 4, "sum"), "sum")):
            with self.subTest(given), self.assertRaisesRegex(coll.UsageError, why):
                coll.show(*given)


@unittest.skipUnless(NOTEBOOK.exists(), "a source distribution holds no documents")
class Notebook(unittest.TestCase):
    def test_its_cells_run(self):
        cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        self.assertGreater(len(code), 4)
        there, said = {"__name__": "__main__"}, io.StringIO()
        with contextlib.redirect_stdout(said):
            for cell in code:
                exec(compile(cell, str(NOTEBOOK), "exec"), there)
        self.assertEqual([s.tolist() for s in there["sums"]], [[6.0] * 3] * 4)
        self.assertIn("<svg", there["ring"]._repr_svg_())
        self.assertTrue(there["proof"].ok)
        self.assertEqual(there["costs"]["ring"].rounds, 6)
        self.assertIn("all_reduce of 1048576 bytes over 2 ranks", said.getvalue())


if __name__ == "__main__":
    unittest.main()
