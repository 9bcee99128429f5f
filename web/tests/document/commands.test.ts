import { expect, test } from "vitest";

import { commandOf, SINGLE, type Press } from "../../src/document/commands";

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});
const READING = { typing: false, single: true, target: true };

test("single keys mean what the list of keys says, in either case", () => {
  expect(commandOf(press("j"), READING)).toBe("following");
  expect(commandOf(press("A", { shiftKey: true }), READING)).toBe("accept");
  expect(commandOf(press("<", { shiftKey: true }), READING)).toBe("start left");
  expect(commandOf(press("Delete"), READING)).toBe("remove");
  expect(commandOf(press("q"), READING)).toBeNull();
  expect(commandOf(press("ArrowLeft"), READING)).toBeNull();
});

test("digits choose from the helper while something is selected", () => {
  expect(commandOf(press("1"), READING)).toBe(0);
  expect(commandOf(press("9"), READING)).toBe(8);
  expect(commandOf(press("0"), READING)).toBe("nil");
  expect(commandOf(press("3"), { ...READING, target: false })).toBeNull();
});

test("whoever types is left alone, but for Escape", () => {
  const typing = { ...READING, typing: true };
  for (const key of [...Object.keys(SINGLE), "1"]) expect(commandOf(press(key), typing)).toBeNull();
  expect(commandOf(press("z", { ctrlKey: true }), typing)).toBeNull();
  expect(commandOf(press("Escape"), typing)).toBe("leave");
});

test("undo and redo have the keys they have everywhere, also where single keys are off", () => {
  const off = { ...READING, single: false };
  for (const key of ["ctrlKey", "metaKey"]) {
    expect(commandOf(press("z", { [key]: true }), off)).toBe("undo");
    expect(commandOf(press("Z", { [key]: true, shiftKey: true }), off)).toBe("redo");
    expect(commandOf(press("y", { [key]: true }), off)).toBe("redo");
  }
  expect(commandOf(press("u"), off)).toBeNull();
  expect(commandOf(press("1"), off)).toBeNull();
});

test("the browser's own keys stay the browser's", () => {
  for (const key of ["r", "s", "a", "p", "1", "n"]) {
    expect(commandOf(press(key, { ctrlKey: true }), READING)).toBeNull();
    expect(commandOf(press(key, { metaKey: true }), READING)).toBeNull();
    expect(commandOf(press(key, { altKey: true }), READING)).toBeNull();
  }
});
