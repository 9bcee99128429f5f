import { expect, test } from "vitest";

import { did, summary } from "../../src/project/changes";

test("predictions are counted, and ids are no change of one into the other", () => {
  expect(summary({ made: [86, 87], removed: [], version: 0 })).toBe("made 2; version: 0");
  expect(summary({ made: [], removed: [4], version: 1 })).toBe("removed 1; version: 1");
});

test("the first documents of an upload are named", () => {
  expect(summary({ file: "a.txt", documents: ["d1", "d2"] })).toBe("file: a.txt; documents: d1, d2");
  expect(summary({ documents: ["a", "b", "c", "d", "e"] })).toBe("documents: a, b, c and 2 more");
});

test("what was and what is stand beside each other", () => {
  expect(summary({ labels: [["Disease"], ["Disease", "Drug"]] })).toBe("labels: Disease → Disease, Drug");
  expect(summary({ name: ["old", "new"] })).toBe("name: old → new");
});

test("annotations are said by place, type and concept", () => {
  const before = { start: 0, end: 4, type: "Disease", concepts: ["X:1"], nil: false };
  const after = { ...before, concepts: [], nil: true };
  expect(summary({ annotations: [{ before, after }] })).toBe("0–4 Disease X:1 → 0–4 Disease NIL");
  expect(summary({ annotations: [{ before: null, after }] })).toBe("made 0–4 Disease NIL");
});

test("what was learnt is said, scores stand elsewhere", () => {
  expect(summary({ version: 2, learned: { names: "12 names" }, before: { mentions: 3 }, after: {} })).toBe("version: 2; learned: names: 12 names");
});

test("every action is said in words, and one that is not known as it is", () => {
  expect(did("document.predict")).toBe("predicted");
  expect(did("new.kind")).toBe("new.kind");
});
