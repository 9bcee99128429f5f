import { expect, test } from "vitest";

import { did, summary as summaryOf } from "../../src/project/changes";

const summary = (
  changes: unknown,
  more: { annotations?: number; texts?: Record<string, string>; names?: Record<string, string> } = {},
): string => summaryOf({ changes, annotations: 1, texts: {}, names: {}, ...more });

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

test("annotations are said by their text, type and the names of their concepts, with the ids", () => {
  const known = { texts: { "0-4": "gout", "0-9": "gout knee" }, names: { "X:1": "Gout" } };
  const before = { start: 0, end: 4, type: "Disease", concepts: ["X:1"], nil: false, layer: "pred" };
  const after = { ...before, concepts: [], nil: true, layer: "user" };
  expect(summary({ annotations: [{ before, after }] }, known)).toBe("“gout”: Gout (X:1), Disease → NIL, Disease");
  expect(summary({ annotations: [{ before: null, after }] }, known)).toBe("made “gout”: NIL, Disease");
  expect(summary({ annotations: [{ before, after: null }] }, known)).toBe("removed “gout”: Gout (X:1), Disease");
  expect(summary({ annotations: [{ before, after: { ...before, layer: "user" } }] }, known)).toBe(
    "confirmed “gout”: Gout (X:1), Disease",
  );
  expect(summary({ annotations: [{ before, after: { ...before, end: 9 } }] }, known)).toBe(
    "“gout”: Gout (X:1), Disease → “gout knee”: Gout (X:1), Disease",
  );
});

test("what was accepted with its document is told from what was confirmed", () => {
  const known = { texts: { "0-4": "gout" }, names: { "X:1": "Gout" } };
  const before = { start: 0, end: 4, type: "", concepts: ["X:1"], nil: false, layer: "pred", unchanged: false };
  const accepted = { ...before, layer: "user", unchanged: true };
  expect(summary({ annotations: [{ before, after: accepted }] }, known)).toBe("accepted unchanged “gout”: Gout (X:1)");
  expect(summary({ annotations: [{ before: accepted, after: { ...accepted, unchanged: false } }] }, known)).toBe(
    "confirmed “gout”: Gout (X:1)",
  );
});

test("of a document that is gone, places and ids are said; of many annotations the first, and how many more", () => {
  const after = { start: 0, end: 4, type: "", concepts: ["X:1", "X:2"], nil: false, layer: "user" };
  const made = { before: null, after };
  expect(summary({ annotations: [made] })).toBe("made 0–4: X:1 + X:2");
  expect(summary({ annotations: [made, made, made] }, { annotations: 66_667 })).toMatch(/; and 66,664 more$/);
  expect(summary({ annotations: [{ before: null, after: { ...after, concepts: [] } }] })).toBe("made 0–4: not linked");
});

test("what was learnt is said, scores stand elsewhere", () => {
  expect(summary({ version: 2, learned: { names: "12 names" }, before: { mentions: 3 }, after: {} })).toBe(
    "version: 2; learned: names: 12 names",
  );
});

test("every action is said in words, and one that is not known as it is", () => {
  expect(did("document.predict")).toBe("predicted");
  expect(did("new.kind")).toBe("new.kind");
});
