import { expect, test } from "vitest";

import { fate, types } from "../../src/helper/waiting";

const enter = { index: null, add: false, list: "1 0 4 asthma" };

test("a key waits for the list it is meant for, and acts on it", () => {
  expect(fate(enter, "1 0 4 asthma", null)).toBe("keep");
  expect(fate(enter, "1 0 4 asthma", "1 0 4 asthm")).toBe("keep");
  expect(fate(enter, "1 0 4 asthma", "1 0 4 asthma")).toBe("act");
});

test("it is dropped once another place or query is wanted, whatever is shown", () => {
  expect(fate(enter, "1 9 12 asthma", null)).toBe("drop");
  expect(fate(enter, "1 0 4 asthmat", "1 0 4 asthma")).toBe("drop");
});

test("letters, digits and signs would change the query; keys with Ctrl, and keys with a name, would not", () => {
  const press = (key: string, more: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });
  expect(["a", "7", " ", "é"].map((key) => types(press(key)))).toEqual([true, true, true, true]);
  expect([types(press("Backspace")), types(press("c", { ctrlKey: true })), types(press("ArrowDown"))]).toEqual([
    false,
    false,
    false,
  ]);
});
