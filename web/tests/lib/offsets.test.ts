import { expect, test } from "vitest";

import { offsetsOf } from "../../src/lib/offsets";
import { dice } from "../annotations";

test("a text of the basic plane is counted the same way by both", () => {
  const offsets = offsetsOf("gout, naïve, 痛風");
  for (let place = 0; place <= 13; place++) {
    expect(offsets.units(place)).toBe(place);
    expect(offsets.points(place)).toBe(place);
  }
});

test("an emoji is one code point and two code units", () => {
  const text = "😀 gout 𝛼";
  const offsets = offsetsOf(text);
  expect(text.slice(offsets.units(2), offsets.units(6))).toBe("gout");
  expect([text.indexOf("gout"), text.indexOf("𝛼"), text.length].map(offsets.points)).toEqual([2, 7, 8]);
});

test("an offset inside a surrogate pair is that of the pair", () => {
  const offsets = offsetsOf("a😀b");
  expect([0, 1, 2, 3, 4].map(offsets.points)).toEqual([0, 1, 1, 2, 3]);
});

test("combining marks, joiners and flags are counted one code point each, as Python does", () => {
  const text = "e\u0301 👩\u200d⚕️ 🇨🇭";
  const offsets = offsetsOf(text);
  expect(offsets.points(text.length)).toBe(Array.from(text).length);
});

test("half a surrogate pair that stands alone is a code point of its own", () => {
  const offsets = offsetsOf("\ud83d gout 😀");
  expect(offsets.points(7)).toBe(7);
  expect(offsets.points(9)).toBe(8);
});

test("both ways agree with counting one by one, whatever the text", () => {
  const roll = dice(7);
  const letters = ["a", "ß", "痛", "😀", "𝛼", "\u0301", " "];
  for (let round = 0; round < 50; round++) {
    const text = Array.from({ length: 40 }, () => letters[roll(letters.length)]).join("");
    const offsets = offsetsOf(text);
    let units = 0;
    Array.from(text).forEach((letter, points) => {
      expect(offsets.units(points)).toBe(units);
      expect(offsets.points(units)).toBe(points);
      units += letter.length;
    });
    expect(offsets.units(Array.from(text).length)).toBe(text.length);
  }
});
