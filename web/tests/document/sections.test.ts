import { expect, test } from "vitest";

import { sectionAt, sections } from "../../src/document/sections";

const pieces = (text: string): string[] => sections(text).map(({ start, end }) => text.slice(start, end));

test("a text of ordinary length is one section", () => {
  expect(sections("Gout.")).toEqual([{ start: 0, end: 5 }]);
  expect(sections("")).toEqual([{ start: 0, end: 0 }]);
});

test("sections of a long text are the text, and end where a paragraph, line, sentence or word does", () => {
  for (const [unit, ending] of [
    ["A sentence on gout.\n\nIt has\nlines. ", /\n\n$/],
    ["A line of a table without any full stop\n", /\n$/],
    ["A sentence on gout, and no line ends anywhere. ", /\. $/],
    ["words and words ", / $/],
  ] as const) {
    const found = pieces(unit.repeat(6000));
    expect(found.join("")).toBe(unit.repeat(6000));
    expect(found.length).toBeGreaterThan(20);
    expect(found.every((piece) => piece.length <= 6000)).toBe(true);
    expect(found.slice(0, -1).filter((piece) => !ending.test(piece))).toEqual([]);
  }
});

test("a text without any place to end a section is cut between characters", () => {
  const found = pieces("x" + "😀".repeat(40_000));
  expect(found.join("")).toBe("x" + "😀".repeat(40_000));
  expect(found.filter((piece) => /^[\udc00-\udfff]/.test(piece))).toEqual([]);
});

test("the section of an offset is found", () => {
  const found = [
    { start: 0, end: 4 },
    { start: 4, end: 9 },
    { start: 9, end: 10 },
  ];
  expect([0, 3, 4, 8, 9, 10, 99].map((offset) => sectionAt(found, offset))).toEqual([0, 0, 1, 1, 2, 2, 2]);
});
