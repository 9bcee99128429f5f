import { expect, test } from "vitest";

import { choosable, inView, preselected } from "../../src/helper/choice";
import type { ConceptMatch } from "../../src/lib/types";

const found = (match: string): ConceptMatch => ({ match }) as ConceptMatch;

test("the first concept is chosen at once, unless it is a weak match", () => {
  expect(preselected([found("linker"), found("some")])).toBe(0);
  expect(preselected([found("prefix")])).toBe(0);
  expect(preselected([found("some")])).toBe(-1);
  expect(preselected([found("guess"), found("some")])).toBe(-1);
  expect(preselected([])).toBe(-1);
});

test("Enter links only what is visibly chosen in the list of what is typed", () => {
  const listed = { wanted: "gout", searched: "gout", browsed: null, active: 0, options: [1] };
  expect(choosable(listed)).toBe(true);
  expect(choosable({ ...listed, wanted: "gouty" })).toBe(false); // the list is of an earlier query
  expect(choosable({ ...listed, browsed: "X:1" })).toBe(false);
  expect(choosable({ ...listed, active: -1 })).toBe(false);
  expect(choosable({ ...listed, options: [] })).toBe(false);
});

test("an option that was scrolled away is not seen", () => {
  const list = { top: 100, bottom: 200 };
  expect(inView({ top: 110, bottom: 150 }, list)).toBe(true);
  expect(inView({ top: 90, bottom: 130 }, list)).toBe(true);
  expect(inView({ top: 190, bottom: 230 }, list)).toBe(false);
  expect(inView({ top: 20, bottom: 60 }, list)).toBe(false);
});
