import { expect, test } from "vitest";

import { trimmed, wordBefore, wordFrom } from "../../src/document/words";
import { dice } from "../annotations";

/** All words, found one after the other from either end. */
function read(text: string): string[] {
  const found: string[] = [];
  for (let word = wordFrom(text, 0); word; word = wordFrom(text, word.end)) found.push(text.slice(word.start, word.end));
  return found;
}
function readBack(text: string): string[] {
  const found: string[] = [];
  for (let word = wordBefore(text, text.length); word; word = wordBefore(text, word.start)) found.unshift(text.slice(word.start, word.end));
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
  const starts = (text: string): (number | undefined)[] => Array.from({ length: text.length + 1 }, (_, offset) => wordFrom(text, offset)?.start);
  expect(starts("ab  cd")).toEqual([0, 0, 4, 4, 4, 4, undefined]);
  expect(starts("𝒳y 😀")).toEqual([0, 0, 0, 4, 4, 4, undefined]);
});

test("the word before an offset is the one that begins before it", () => {
  const starts = (text: string): (number | undefined)[] => Array.from({ length: text.length + 1 }, (_, offset) => wordBefore(text, offset)?.start);
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
