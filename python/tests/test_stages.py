"""What a function shows of itself: the program at a stage, and the plan of its memory."""

import unittest
import xml.etree.ElementTree

from support import Case, numbers


class Stages(Case):
    def test_stages_are_text(self):
        m = self.module()
        a, b = numbers(6, 4), numbers(4, 6)
        self.assertIn("linalg.", m.f.ir("linalg", a, b))
        self.assertIn("4x6", m.f.ir("shapes", a, b))
        self.assertIn("define", m.f.ir("llvm", a, b))
        self.assertIn("ret", m.f.ir("asm", a, b))
        text = m.f.ir("shapes", a, b)
        self.assertEqual(repr(text), str(text))
        self.assertIn("&quot;toy.", text._repr_html_())
        # Levels differ.
        self.assertNotEqual(self.module(level=0).mixed.ir("linalg", a.T @ a, a.T @ a, 1),
                            m.mixed.ir("linalg", a.T @ a, a.T @ a, 1))

    def test_the_plan_is_text_and_a_picture(self):
        chain = self.module("def f(a) { var b = transpose(a) * a; var c = transpose(b) + a; print(b); print(c);"
                            " return transpose(c) * b; }")
        plan = chain.f.plan(numbers(5, 5))
        self.assertIn("200", str(plan))
        picture = xml.etree.ElementTree.fromstring(plan._repr_svg_())
        self.assertTrue(picture.tag.endswith("svg"))
        self.assertEqual(picture.get("aria-label"), "Memory plan of kernels.toy")
        self.assertIn("memory plan of kernels.toy", str(plan))


if __name__ == "__main__":
    unittest.main()
