import { expect, test } from "vitest";

import { inWords, keyIn, nextValue, tags } from "../../src/document/attributes";
import { commandOf, SINGLE, type Press } from "../../src/document/commands";

const press = (key: string, shiftKey = true): Press => ({
  key, shiftKey, ctrlKey: false, metaKey: false, altKey: false, repeat: false, isComposing: false, getModifierState: () => false,
});
const where = { typing: false, single: true, target: true, marked: false, attributes: ["N", "", "C"] };
const flag = { name: "negated", values: [], key: "N", guess: true };
const severity = { name: "severity", values: ["mild", "severe"], key: "S", guess: false };

test("with Shift, letters set attributes, also with Caps Lock; without it, they stay commands", () => {
  expect(commandOf(press("N"), where)).toEqual({ attribute: 0 });
  expect(commandOf(press("n"), where)).toEqual({ attribute: 0 });
  expect(commandOf(press("C"), where)).toEqual({ attribute: 2 });
  expect(commandOf(press("n", false), where)).toBe("next document");
  expect(commandOf(press("N", false), where)).toBe("next document");
});

test("letters of no attribute, and letters without an annotation, are commands as before", () => {
  expect(commandOf(press("V"), where)).toBe(SINGLE["v"]);
  expect(commandOf(press("N"), { ...where, target: false })).toBe("next document");
  expect(commandOf(press("N"), { ...where, marked: true })).toBe("search");
  expect(commandOf(press("N"), { ...where, single: false })).toBeNull();
  expect(commandOf(press("N"), { ...where, typing: true })).toBeNull();
});

test("a key switches a flag, and goes through values to none", () => {
  expect([nextValue(flag, undefined), nextValue(flag, true)]).toEqual([true, null]);
  expect([nextValue(severity, undefined), nextValue(severity, "mild"), nextValue(severity, "severe")]).toEqual(["mild", "severe", null]);
  expect(nextValue(severity, "no longer offered")).toBe("mild");
});

test("attributes are shown in one order, in words and as tags", () => {
  const values = { severity: "mild", "other person": true, negated: true, laterality: true, certainty: "very long value" } as const;
  expect(tags(values)).toEqual(["neg", "oth", "very long…", "late", "mild"]);
  expect(inWords({ severity: "mild", negated: true })).toBe("negated, severity: mild");
  expect([keyIn(flag), keyIn({ ...severity, key: "Q" }), keyIn({ ...severity, key: "" })]).toEqual([0, -1, -1]);
});
