import { expect, test } from "vitest";

import { inOrder } from "../../src/document/merging";
import { overlapsOf } from "../../src/document/overlaps";
import { annotation, dice } from "../annotations";

test("what is found at a place is what looking at every annotation finds", () => {
  const roll = dice(5);
  for (let round = 0; round < 30; round++) {
    const spans = Array.from({ length: 60 }, (_, id) => {
      const start = roll(300);
      return annotation(id + 1, start, start + 1 + roll(30));
    });
    if (round % 2) spans.push(annotation(99, 0, 330)); // one around all
    spans.sort(inOrder);
    const within = overlapsOf(spans);
    for (let time = 0; time < 40; time++) {
      const start = roll(320);
      const end = start + 1 + roll(20);
      expect(within({ start, end })).toEqual(spans.filter((one) => one.start < end && start < one.end));
    }
  }
});

test("nothing is found where there is nothing", () => {
  expect(overlapsOf([])({ start: 0, end: 9 })).toEqual([]);
  expect(overlapsOf([annotation(1, 0, 4), annotation(2, 8, 9)])({ start: 4, end: 8 })).toEqual([]);
});
