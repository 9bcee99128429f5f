import { expect, test } from "vitest";

import { inOrder, merged } from "../../src/document/merging";
import { offsetsOf } from "../../src/lib/offsets";
import { annotation } from "../annotations";

const plain = offsetsOf("");

test("what a change does not touch stays the same object", () => {
  const shown = [annotation(1, 0, 4), annotation(2, 9, 12)];
  const now = merged(shown, { changed: [annotation(2, 9, 13)], removed: [] }, plain);
  expect(now[0]).toBe(shown[0]);
  expect(now[1]).toMatchObject({ id: 2, end: 13 });
});

test("what is made comes in its place in the text, what is removed goes", () => {
  const shown = [annotation(1, 0, 4), annotation(2, 9, 12), annotation(3, 20, 22)];
  const now = merged(shown, { changed: [annotation(7, 5, 8), annotation(8, 9, 30)], removed: [3, 99] }, plain);
  expect(now.map((one) => one.id)).toEqual([1, 7, 8, 2]);
});

test("a change that comes twice changes nothing the second time", () => {
  const change = { changed: [annotation(7, 5, 8)], removed: [1] };
  const once = merged([annotation(1, 0, 4)], change, plain);
  expect(merged(once, change, plain)).toEqual(once);
});

test("the server's code points become the page's code units", () => {
  const [one] = merged([], { changed: [annotation(1, 3, 7)], removed: [] }, offsetsOf("😀😀 gout"));
  expect([one?.start, one?.end]).toEqual([5, 9]);
});

test("of annotations that begin together the longer comes first, then the older", () => {
  const sorted = [annotation(3, 0, 4), annotation(1, 0, 4), annotation(2, 0, 9)].sort(inOrder);
  expect(sorted.map((one) => one.id)).toEqual([2, 1, 3]);
});
