import { expect, test } from "vitest";

import { commandOf, stateOf, type Press } from "../../src/document/commands";
import { KEYS, listed, STATES, type Command, type PageName, type State } from "../../src/document/keyTable";

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
const EVERY = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ..."éßд漢",
  ..."Enter Escape Delete Backspace Tab ArrowUp ArrowDown ArrowLeft ArrowRight Home End PageUp PageDown F1 Process Dead".split(
    " ",
  ),
];
const LETTERS = EVERY.filter((key) => /^\p{L}$/u.test(key));
const ALL_STATES = Object.keys(STATES) as State[];
const PAGES: PageName[] = ["document", "curation"];
const SIGNS: (Command | null)[] = ["accept", "skip", "reopen"];
const ATTRIBUTES = ["N", "", "C"];

/** What a key does: a command, with the index after a colon, or an attribute; "" for nothing. */
function meant(page: PageName, state: State, key: string, more: Partial<Press> = {}, single = true): string {
  const found = commandOf(press(key, more), { page, state, single, attributes: ATTRIBUTES });
  if (!found) return "";
  if ("attribute" in found) return `attribute ${found.attribute}`;
  return found.index < 0 ? found.command : `${found.command} ${found.index}`;
}

test("a letter after a selection is text, in every state, with Shift, and on both pages; signs and digits keep their meaning", () => {
  for (const page of PAGES) {
    for (const key of LETTERS)
      expect([key, meant(page, "text", key), meant(page, "text", key, { shiftKey: true })]).toEqual([
        key,
        "search",
        "search",
      ]);
    expect(["3", "0", "-", "Escape"].map((key) => meant(page, "text", key))).toEqual([
      "choose 2",
      "nil",
      "without concept",
      "leave",
    ]);
  }
});

test("no key without Ctrl signs a document off, or reopens it, while anything is selected, searched, unfinished or open", () => {
  for (const page of PAGES) {
    for (const state of ALL_STATES) {
      for (const key of EVERY) {
        for (const shiftKey of [false, true]) {
          const does = meant(page, state, key, { shiftKey }) as Command;
          if (SIGNS.includes(does))
            expect([state, key.toLowerCase()]).toEqual([
              "reading",
              { accept: "a", skip: "x", reopen: "o" }[does as "accept"],
            ]);
        }
      }
    }
    for (const state of ["annotation", "unfinished"] as const)
      expect(["a", "o"].map((key) => meant(page, state, key))).toEqual(["not yet", "not yet"]);
  }
});

test("in a field or a menu, only Escape is a command; in a dialog and between two documents, none is", () => {
  for (const page of PAGES) {
    for (const key of EVERY) {
      for (const more of [{}, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }]) {
        expect([key, meant(page, "field", key, more)]).toEqual([
          key,
          key === "Escape" && !("ctrlKey" in more) && !("metaKey" in more) ? "leave" : "",
        ]);
        expect([key, meant(page, "busy", key, more)]).toEqual([key, ""]);
      }
    }
  }
});

test("the table says of every key, in every state, what it does; each row acts, and no key has two meanings in one state", () => {
  const acting = new Set<Command>();
  for (const page of PAGES) {
    for (const state of ALL_STATES) {
      const seen = new Set<string>();
      for (const row of KEYS.filter((each) => each.command && each[page] && each.in.includes(state))) {
        for (const key of row.keys) {
          const name = `${row.ctrl ? "Ctrl " : ""}${key}`;
          expect(seen.has(name), `${page}, ${state}: ${name} twice`).toBe(false);
          seen.add(name);
          const does = meant(page, state, key, row.ctrl ? { ctrlKey: true } : {});
          const letter = state === "text" && !row.ctrl && /^\p{L}$/u.test(key);
          expect([page, state, name, does.replace(/ \d$/, "")]).toEqual([
            page,
            state,
            name,
            letter ? "search" : row.command,
          ]);
          acting.add(row.command!);
        }
      }
      // A key that no row names does nothing.
      for (const key of EVERY)
        if (!seen.has(key.toLowerCase()) && !seen.has(key) && !(state === "text" && LETTERS.includes(key)))
          expect([state, key, meant(page, state, key)]).toEqual([state, key, ""]);
    }
  }
  for (const { command, keys } of KEYS) if (command && keys.length) expect(acting).toContain(command);
});

test("the lists of keys name every key that acts", () => {
  for (const page of PAGES) {
    const rows = listed(page).flatMap((group) => group.rows);
    expect(rows.length).toBeGreaterThan(10);
    expect(new Set(rows.map(({ key, does }) => `${key} ${does}`)).size).toBe(rows.length);
    const shown = rows.map(({ key }) => key.toLowerCase()).join(" ");
    const letters = KEYS.filter((row) => row.command && row[page] && !row.ctrl)
      .flatMap(({ keys }) => keys)
      .filter((key) => /^[a-z]$/.test(key));
    for (const key of letters) expect([page, key, shown.split(/\s+/).includes(key)]).toEqual([page, key, true]);
  }
});

test("the state: a dialog before a field, a field before a selection, a selection before what is unfinished", () => {
  const quiet = { busy: false, typing: false, marked: false, target: false, unfinished: false };
  expect(stateOf(quiet)).toBe("reading");
  expect(stateOf({ ...quiet, unfinished: true })).toBe("unfinished");
  expect(stateOf({ ...quiet, unfinished: true, target: true })).toBe("annotation");
  expect(stateOf({ ...quiet, target: true, marked: true })).toBe("text");
  expect(stateOf({ ...quiet, target: true, marked: true, typing: true })).toBe("field");
  expect(stateOf({ ...quiet, typing: true, busy: true })).toBe("busy");
});

test("undo and redo have the keys they have everywhere, also where single keys are off", () => {
  for (const state of ["reading", "annotation", "text"] as const) {
    for (const key of ["ctrlKey", "metaKey"]) {
      expect(meant("document", state, "z", { [key]: true }, false)).toBe("undo");
      expect(meant("document", state, "Z", { [key]: true, shiftKey: true }, false)).toBe("redo");
      expect(meant("document", state, "y", { [key]: true }, false)).toBe("redo");
    }
  }
  for (const key of EVERY)
    expect([key, meant("document", "annotation", key, {}, false)]).toEqual([key, key === "Escape" ? "leave" : ""]);
});

test("the browser's own keys stay the browser's, a held key is one press, and what an input method or AltGr makes is no command", () => {
  for (const state of ALL_STATES) {
    for (const key of EVERY) {
      if (!["z", "Z", "y", "Y", "Enter"].includes(key))
        expect([key, meant("document", state, key, { ctrlKey: true })]).toEqual([key, ""]);
      for (const more of [
        { altKey: true },
        { repeat: true },
        { isComposing: true },
        { ctrlKey: true, altKey: true },
        { getModifierState: (name: string) => name === "AltGraph" },
      ]) {
        expect([key, meant("document", state, key, more)]).toEqual([key, ""]);
      }
    }
  }
});

test("digits: concepts of the helper for a selection, and annotators' versions in curation", () => {
  expect(meant("document", "annotation", "1")).toBe("choose 0");
  expect(meant("document", "reading", "3")).toBe("");
  expect(meant("curation", "reading", "9")).toBe("take 8");
  expect(meant("curation", "annotation", "9")).toBe("choose 8");
});
