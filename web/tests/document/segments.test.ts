import { expect, test } from "vitest";

import { lanes, segments } from "../../src/document/segments";
import { annotation, dice } from "../annotations";

const TEXT = "breast and ovarian cancer run in families";
const WHOLE = { start: 0, end: TEXT.length };

test("the segments of a text without annotations are the text", () => {
  expect(segments(WHOLE, [])).toEqual([{ start: 0, end: TEXT.length, under: [] }]);
  expect(segments({ start: 0, end: 0 }, [])).toEqual([]);
});

test("an annotation within another is drawn inside it", () => {
  const outer = annotation(1, 0, 25);
  const inner = annotation(2, 11, 25);
  const found = segments(WHOLE, [outer, inner]);
  expect(found.map(({ start, end }) => [start, end])).toEqual([
    [0, 11],
    [11, 25],
    [25, TEXT.length],
  ]);
  expect(found.map(({ under }) => under.map((box) => [box.annotation.id, box.lane, box.first, box.last]))).toEqual([
    [[1, 1, true, false]],
    [
      [1, 1, false, true],
      [2, 0, true, true],
    ],
    [],
  ]);
});

test("annotations that cross are cut where they do", () => {
  const found = segments(WHOLE, [annotation(1, 0, 18), annotation(2, 11, 25)]);
  expect(found.map(({ start, end, under }) => [start, end, under.length])).toEqual([
    [0, 11, 1],
    [11, 18, 2],
    [18, 25, 1],
    [25, TEXT.length, 0],
  ]);
});

test("two annotations of one span lie in two lanes, the older next to the text", () => {
  const found = lanes([annotation(1, 0, 6), annotation(2, 0, 6)]);
  expect([found.get(1), found.get(2)]).toEqual([0, 1]);
});

test("annotations that only touch share a lane", () => {
  expect(new Set(lanes([annotation(1, 0, 6), annotation(2, 6, 9), annotation(3, 9, 12)]).values())).toEqual(
    new Set([0]),
  );
});

test("whatever overlaps, every character is drawn once, under all that have it, each in a lane of its own", () => {
  const roll = dice(3);
  for (let round = 0; round < 40; round++) {
    const spans = Array.from({ length: 30 }, (_, id) => {
      const start = roll(200);
      return annotation(id + 1, start, start + 1 + roll(25));
    }).filter((one) => one.end <= 210);
    const text = "x".repeat(210);
    const found = segments({ start: 0, end: 210 }, spans);
    expect(found.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    for (const { start, end, under } of found) {
      const have = spans.filter((one) => one.start <= start && end <= one.end).map((one) => one.id);
      expect(under.map((box) => box.annotation.id).sort((a, b) => a - b)).toEqual(have);
      const rows = under.map((box) => box.lane);
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows).toEqual([...rows].sort((a, b) => b - a));
    }
  }
});

test("what stays the same is not drawn again", () => {
  const before = [annotation(1, 0, 6), annotation(2, 11, 25), annotation(3, 33, 41)];
  const drawn = segments(WHOLE, before);
  const after = [before[0]!, annotation(2, 11, 18), before[2]!];
  const now = segments(WHOLE, after, drawn);
  expect(now[0]).toBe(drawn[0]);
  expect(now.at(-1)).toBe(drawn.at(-1));
  expect(now).toEqual(segments(WHOLE, after));
  expect(now[2]).not.toBe(drawn[2]);
});

test("thousands of annotations on one another take no time to speak of", () => {
  const spans = Array.from({ length: 20_000 }, (_, id) => annotation(id + 1, id * 3, id * 3 + 5));
  expect(new Set(lanes(spans).values())).toEqual(new Set([0, 1]));
});
