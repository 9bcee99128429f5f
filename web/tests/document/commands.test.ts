import { expect, test } from "vitest";

import { commandOf, SINGLE, type Press } from "../../src/document/commands";

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  getModifierState: () => false,
  ...more,
});
const READING = { typing: false, single: true, target: true, marked: false };

test("single keys mean what the list of keys says, in either case", () => {
  expect(commandOf(press("j"), READING)).toBe("following");
  expect(commandOf(press("A", { shiftKey: true }), READING)).toBe("accept");
  expect(commandOf(press("<", { shiftKey: true }), READING)).toBe("start left");
  expect(commandOf(press("Delete"), READING)).toBe("remove");
  expect(commandOf(press("b"), READING)).toBeNull();
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

test("a key that is held down is one press", () => {
  for (const key of [...Object.keys(SINGLE), "1"]) expect(commandOf(press(key, { repeat: true }), READING)).toBeNull();
  expect(commandOf(press("z", { ctrlKey: true, repeat: true }), READING)).toBeNull();
});

test("a letter typed after text was selected is searched, whatever it stands for elsewhere; signs and digits keep their meaning", () => {
  const marked = { ...READING, marked: true };
  for (const key of ["a", "x", "u", "N", "B", "é", "ß", "д", "漢"]) expect(commandOf(press(key), marked)).toBe("search");
  expect(commandOf(press("3"), marked)).toBe(2);
  expect(commandOf(press("0"), marked)).toBe("nil");
  expect(commandOf(press("-"), marked)).toBe("without concept");
  expect(commandOf(press("Escape"), marked)).toBe("leave");
  expect(commandOf(press("z", { ctrlKey: true }), marked)).toBe("undo");
  expect(commandOf(press("a"), { ...marked, single: false })).toBeNull();
});

test("what an input method composes, or AltGr makes, is no command", () => {
  expect(commandOf(press("a", { isComposing: true }), READING)).toBeNull();
  expect(commandOf(press("Process", { isComposing: true }), READING)).toBeNull();
  expect(commandOf(press("a", { getModifierState: (key: string) => key === "AltGraph" }), READING)).toBeNull();
  expect(commandOf(press("a", { ctrlKey: true, altKey: true }), READING)).toBeNull();
});
