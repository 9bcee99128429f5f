import { expect, test } from "vitest";

import { KINDS } from "../../src/curation/kinds";
import { versionsInWords } from "../../src/curation/versions";
import type { DisagreementKind, VersionMark } from "../../src/lib/types";

const gout: VersionMark = {
  start: 2,
  end: 6,
  text: "gout",
  type: "Disease",
  concepts: ["X:1"],
  names: ["Gout"],
  nil: false,
  composite: false,
  attributes: {},
};
const said = (...versions: VersionMark[][]): string[] =>
  versionsInWords(versions.map((annotations) => ({ annotations })));

test("whatever two versions differ in is in their words, for every kind of disagreement", () => {
  const other: Record<DisagreementKind, VersionMark[]> = {
    missing: [],
    span: [{ ...gout, start: 9, end: 13 }], // the same text at another place
    type: [{ ...gout, type: "Symptom" }],
    concept: [{ ...gout, concepts: ["X:2"] }], // another concept of the same name
    attribute: [{ ...gout, attributes: { negated: true } }],
    agreed: [gout],
  };
  for (const kind of Object.keys(KINDS) as DisagreementKind[]) {
    const [one, two] = said([gout], other[kind]);
    expect([kind, one === two]).toEqual([kind, kind === "agreed"]);
  }
});

test("words are as short as they can be while versions read differently", () => {
  expect(said([gout], [])).toEqual(["“gout” Gout, Disease", "nothing"]);
  expect(said([gout], [{ ...gout, attributes: { negated: true, severity: "mild" } }])[1]).toBe(
    "“gout” Gout, Disease, negated, severity: mild",
  );
  expect(said([gout], [{ ...gout, concepts: ["X:2"] }])).toEqual([
    "“gout” Gout (X:1), Disease",
    "“gout” Gout (X:2), Disease",
  ]);
  expect(said([gout], [{ ...gout, start: 9, end: 13 }])[1]).toBe("“gout” (characters 9 to 13) Gout (X:1), Disease");
  expect(said([{ ...gout, nil: true, concepts: [], names: [] }], [{ ...gout, concepts: [], names: [] }])).toEqual([
    "“gout” NIL, Disease",
    "“gout” not linked, Disease",
  ]);
});

test("the order of concepts is no difference", () => {
  const both = { ...gout, concepts: ["X:1", "X:2"], names: ["Gout", "Asthma"] };
  expect(said([both], [both])[0]).toBe("“gout” Gout / Asthma, Disease");
});
