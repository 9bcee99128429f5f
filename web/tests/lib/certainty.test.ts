import { expect, test } from "vitest";

import { describe } from "../../src/document/describe";
import { stepOf, sure } from "../../src/lib/certainty";
import { annotation } from "../annotations";

test("how sure the model is, is a whole number of per cent, and never none or all of it", () => {
  expect([0.13, 0.135, 0.9975, 0.004, 0.9].map(sure)).toEqual([
    "13 % sure",
    "14 % sure",
    "99 % sure",
    "1 % sure",
    "90 % sure",
  ]);
  expect(sure(null)).toBe("");
});

test("what is hardly sure is drawn otherwise than what is nearly certain, and so is what nobody measured", () => {
  expect([0.99, 0.9, 0.89, 0.5, 0.49, 0.13, null].map(stepOf)).toEqual([
    "sure",
    "sure",
    "unsure",
    "unsure",
    "doubtful",
    "doubtful",
    "unknown",
  ]);
});

test("whoever hears the page hears the same number, of predictions alone", () => {
  expect(describe(annotation(1, 0, 4, { text: "gout", probability: 0.13, confidence: 1.9 }))).toMatch(
    /predicted, 13 % sure$/,
  );
  expect(describe(annotation(1, 0, 4, { text: "gout", layer: "user" }))).not.toMatch(/sure/);
});
