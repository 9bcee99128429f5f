import { expect, test } from "vitest";

import { inWords, keyIn, nextValue, tags } from "../../src/document/attributes";
import { commandOf, type Press } from "../../src/document/commands";

const press = (key: string, shiftKey = true): Press => ({
  key,
  shiftKey,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  isComposing: false,
  getModifierState: () => false,
});
const where = { page: "document", state: "annotation", single: true, attributes: ["N", "", "C"] } as const;
const command = (key: string, more: object = {}, shift = true): unknown =>
  commandOf(press(key, shift), { ...where, ...more });
const flag = { name: "negated", values: [], key: "N", guess: true };
const severity = { name: "severity", values: ["mild", "severe"], key: "S", guess: false };

test("with Shift, letters set attributes, also with Caps Lock; without it, they stay commands", () => {
  expect(command("N")).toEqual({ attribute: 0 });
  expect(command("n")).toEqual({ attribute: 0 });
  expect(command("C")).toEqual({ attribute: 2 });
  expect(command("n", {}, false)).toMatchObject({ command: "next document" });
  expect(command("N", {}, false)).toMatchObject({ command: "next document" });
});

test("letters of no attribute, and letters without an annotation, are commands as before", () => {
  expect(command("V")).toMatchObject({ command: "confirm same" });
  expect(command("N", { state: "reading" })).toMatchObject({ command: "next document" });
  expect(command("N", { state: "text" })).toMatchObject({ command: "search" });
  expect(command("N", { single: false })).toBeNull();
  expect(command("N", { state: "field" })).toBeNull();
});

test("a key switches a flag, and goes through values to none", () => {
  expect([nextValue(flag, undefined), nextValue(flag, true)]).toEqual([true, null]);
  expect([nextValue(severity, undefined), nextValue(severity, "mild"), nextValue(severity, "severe")]).toEqual([
    "mild",
    "severe",
    null,
  ]);
  expect(nextValue(severity, "no longer offered")).toBe("mild");
});

test("attributes are shown in one order, in words and as tags", () => {
  const values = {
    severity: "mild",
    "other person": true,
    negated: true,
    laterality: true,
    certainty: "very long value",
  } as const;
  expect(tags(values)).toEqual(["neg", "oth", "very long…", "late", "mild"]);
  expect(inWords({ severity: "mild", negated: true })).toBe("negated, severity: mild");
  expect([keyIn(flag), keyIn({ ...severity, key: "Q" }), keyIn({ ...severity, key: "" })]).toEqual([0, -1, -1]);
});
