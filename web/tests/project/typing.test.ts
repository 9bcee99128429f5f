import { expect, test } from "vitest";

import { typesNamed } from "../../src/project/typing";

const UMLS = [
  "Disease or Syndrome",
  "Neoplastic Process",
  "Mental or Behavioral Dysfunction",
  "Organic Chemical",
  "Pharmacologic Substance",
  "Gene or Genome",
  "Cell",
  "Finding",
  "Intellectual Product",
];
const MESH = ["Anatomy", "Chemical", "Disease", "Organism", "Procedure"];

test("a label names the types that mean the same", () => {
  expect(typesNamed(["Disease"], MESH)).toEqual(["Disease"]);
  expect(typesNamed(["diseases", "Drug"], MESH)).toEqual(["Chemical", "Disease"]);
  expect(typesNamed(["Disease"], UMLS)).toEqual([
    "Disease or Syndrome",
    "Neoplastic Process",
    "Mental or Behavioral Dysfunction",
  ]);
  expect(typesNamed(["Chemical"], UMLS)).toEqual(["Organic Chemical", "Pharmacologic Substance"]);
  expect(typesNamed(["Gene"], UMLS)).toEqual(["Gene or Genome"]);
});

test("a label that names no type chooses none", () => {
  expect(typesNamed(["Outcome"], UMLS)).toEqual([]);
  expect(typesNamed([], UMLS)).toEqual([]);
  expect(typesNamed([""], MESH)).toEqual([]);
  expect(typesNamed(["Product"], UMLS)).toEqual(["Intellectual Product"]);
});
