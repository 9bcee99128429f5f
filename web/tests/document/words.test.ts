import { expect, test } from "vitest";

import { trimmed, wordAt, words } from "../../src/document/words";

const read = (text: string): string[] => words(text).map(({ start, end }) => text.slice(start, end));

test("words are letters, marks and digits; any other sign stands alone", () => {
  expect(read("β-catenin (17q21), naïve 痛風 e\u0301tat 😀!")).toEqual([
    "β", "-", "catenin", "(", "17q21", ")", ",", "naïve", "痛風", "e\u0301tat", "😀", "!",
  ]);
  expect(read("  \n\t")).toEqual([]);
});

test("an offset belongs to the word that has it, else to the next", () => {
  const found = words("ab  cd");
  expect([0, 1, 2, 3, 4, 5, 6].map((offset) => wordAt(found, offset))).toEqual([0, 0, 1, 1, 1, 1, 2]);
  expect(wordAt([], 3)).toBe(0);
});

test("a selection loses the white space at its ends", () => {
  expect(trimmed("a gout\n b", { start: 1, end: 8 })).toEqual({ start: 2, end: 6 });
  expect(trimmed("a  b", { start: 1, end: 3 })).toBeNull();
});
