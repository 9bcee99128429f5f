import { expect, test } from "vitest";

import { snapped, trimmed, wordBefore, wordFrom } from "../../src/document/words";
import { dice } from "../annotations";

/** All words, found one after the other from either end. */
function read(text: string): string[] {
  const found: string[] = [];
  for (let word = wordFrom(text, 0); word; word = wordFrom(text, word.end))
    found.push(text.slice(word.start, word.end));
  return found;
}
function readBack(text: string): string[] {
  const found: string[] = [];
  for (let word = wordBefore(text, text.length); word; word = wordBefore(text, word.start))
    found.unshift(text.slice(word.start, word.end));
  return found;
}

test("words are letters, marks and digits; any other sign stands alone; backwards they are the same", () => {
  const text = "β-catenin (17q21), naïve 痛風 e\u0301tat 😀𝒳1! ";
  const words = ["β", "-", "catenin", "(", "17q21", ")", ",", "naïve", "痛風", "e\u0301tat", "😀", "𝒳1", "!"];
  expect(read(text)).toEqual(words);
  expect(readBack(text)).toEqual(words);
  expect([read("  \n\t"), readBack("  \n\t"), read("")]).toEqual([[], [], []]);
});

test("an offset belongs to the word that has it, else to the next", () => {
  const starts = (text: string): (number | undefined)[] =>
    Array.from({ length: text.length + 1 }, (_, offset) => wordFrom(text, offset)?.start);
  expect(starts("ab  cd")).toEqual([0, 0, 4, 4, 4, 4, undefined]);
  expect(starts("𝒳y 😀")).toEqual([0, 0, 0, 4, 4, 4, undefined]);
});

test("the word before an offset is the one that begins before it", () => {
  const starts = (text: string): (number | undefined)[] =>
    Array.from({ length: text.length + 1 }, (_, offset) => wordBefore(text, offset)?.start);
  expect(starts("ab  cd")).toEqual([undefined, 0, 0, 0, 0, 4, 4]);
  expect(starts(" (x")).toEqual([undefined, undefined, 1, 2]);
});

test("whatever the text, the words from its end are those from its beginning", () => {
  const roll = dice(7);
  const signs = ["a", "b", "é", "\u0301", "痛", "😀", "𝒳", "-", "(", " ", "\n", "9"];
  for (let round = 0; round < 200; round++) {
    const text = Array.from({ length: roll(20) }, () => signs[roll(signs.length)]).join("");
    expect(readBack(text)).toEqual(read(text));
  }
});

test("a selection loses the white space at its ends", () => {
  expect(trimmed("a gout\n b", { start: 1, end: 8 })).toEqual({ start: 2, end: 6 });
  expect(trimmed("a  b", { start: 1, end: 3 })).toBeNull();
});

test("a selection takes whole words, without the punctuation behind them and half a pair of brackets", () => {
  // Between | | is what the mouse selected, and what it becomes.
  const cases: [string, string][] = [
    ["severe g|ou|t again", "gout"],
    ["|severe gout|, again", "severe gout"],
    ["sever|e gout, ag|ain", "severe gout, again"],
    ["has |gout.| It", "gout"],
    ["has |gout; | it", "gout"],
    ["(|gout)| is", "gout"],
    ["in |(gout| it", "gout"],
    ["of |cancer (breast)| it", "cancer (breast)"],
    ["of “|gout”|, it", "gout"],
    ["|type-2 dia|betes", "type-2 diabetes"],
    ["type-|2| diabetes", "2"],
    ["|vitamin B12|.", "vitamin B12"],
    ["na|ïv|e 痛|風|", "naïve"],
    ["a 😀|.| b", "."],
    ["|IL-6 (high)|", "IL-6 (high)"],
    ["|Crohn's| it", "Crohn's"],
  ];
  for (const [marked, wanted] of cases) {
    const start = marked.indexOf("|");
    const end = marked.indexOf("|", start + 1) - 1;
    const text = marked.replace("|", "").replace("|", "");
    const { start: first, end: last } = snapped(text, { start, end });
    expect(text.slice(first, last)).toBe(wanted);
  }
});

test("a snapped selection stays when it is snapped again, and is never empty", () => {
  const roll = dice(7);
  const letters = "ab .,()“”-'é😀 \n";
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: 12 }, () => [...letters][roll(letters.length - 1)] ?? " ").join("");
    const start = roll(text.length);
    const once = snapped(text, { start, end: start + 1 + roll(text.length - start) });
    expect(once.start).toBeLessThan(once.end);
    expect(snapped(text, once)).toEqual(once);
  }
});
