import { expect, it } from "vitest";

import { placeIn } from "../../src/document/address";

it("reads a place and whether to show comments", () => {
  expect(placeIn("?at=12-16&comments")).toEqual({ at: { start: 12, end: 16 }, talk: true });
  expect(placeIn("")).toEqual({ at: null, talk: false });
});

it("ignores what is no place", () => {
  for (const query of ["?at=16-12", "?at=5-5", "?at=a-b", "?at=1", "?at=-1-4", "?at=12345678-12345679"]) {
    expect(placeIn(query).at).toBeNull();
  }
});
