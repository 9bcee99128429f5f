import { expect, test } from "vitest";

import { ticks } from "../../src/project/ticks";

test("the labels of an axis are whole numbers that stand where they belong", () => {
  expect(ticks(5)).toEqual([0, 3, 5]);
  expect(ticks(28)).toEqual([0, 14, 28]);
  expect(ticks(1)).toEqual([0, 1]);
});
