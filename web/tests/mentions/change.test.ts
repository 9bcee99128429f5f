import { expect, test } from "vitest";

import { changeable, changeOf, extent, kinds, linkText, resultText } from "../../src/mentions/change";
import type { Mention } from "../../src/lib/types";
import { annotation } from "../annotations";

const mention = (document: number, id: number, text: string, more: object = {}): Mention => ({
  document,
  name: `document ${document}`,
  state: "open",
  revision: 7,
  before: "",
  after: "",
  annotation: { ...annotation(id, 0, 1), text, ...more },
});

test("a request names each document once, with a token of its own", () => {
  const mentions = [mention(1, 10, "gout"), mention(2, 20, "gout"), mention(1, 11, "Gout")];
  const change = changeOf(mentions, "link", { concepts: ["X:1"], nil: false });
  expect(change.documents).toEqual([
    { document: 1, revision: 7, annotations: [10, 11] },
    { document: 2, revision: 7, annotations: [20] },
  ]);
  expect(change.concepts).toEqual(["X:1"]);
  expect(change.token).toMatch(/^[0-9a-f]{32}$/);
  expect(changeOf(mentions, "remove", { concepts: ["X:1"], nil: true })).toMatchObject({ concepts: [], nil: false });
  expect(changeOf(mentions, "remove", { concepts: [], nil: false }).token).not.toBe(change.token);
});

test("only predictions can be confirmed", () => {
  const mentions = [mention(1, 1, "gout", { layer: "pred" }), mention(1, 2, "gout", { layer: "user" })];
  expect(changeable(mentions, "confirm")).toEqual(mentions.slice(0, 1));
  expect(changeable(mentions, "remove")).toEqual(mentions);
});

test("the preview counts texts in any case with the same link, the most frequent first", () => {
  const linked = { concepts: ["X:1"], names: ["Gout"] };
  const mentions = [
    mention(1, 1, "asthma"),
    mention(1, 2, "gout", linked),
    mention(2, 3, "GOUT", linked),
    mention(2, 4, "gout"),
  ];
  expect(kinds(mentions)).toEqual([
    { text: "gout", link: "Gout", mentions: 2 },
    { text: "asthma", link: "not linked", mentions: 1 },
    { text: "gout", link: "not linked", mentions: 1 },
  ]);
  expect(extent(mentions)).toBe("4 mentions in 2 documents");
});

test("links in words", () => {
  expect(linkText({ concepts: ["X:1", "X:2"], names: ["Gout", ""], nil: false })).toBe("Gout + X:2");
  expect(linkText({ concepts: [], names: [], nil: true })).toBe("NIL");
});

test("the result says what stayed as it is", () => {
  const outcome = { document: 1, name: "a", mentions: 2, message: "" };
  const outcomes = [
    { ...outcome, outcome: "changed" as const },
    { ...outcome, outcome: "refused" as const, mentions: 0 },
  ];
  expect(resultText({ mentions: 2, documents: 1, outcomes }, "remove")).toBe(
    "2 mentions removed in 1 document. 1 document stayed as it is.",
  );
  expect(resultText({ mentions: 2, documents: 1, outcomes: outcomes.slice(0, 1) }, "link")).toBe(
    "2 mentions linked in 1 document.",
  );
});
