import { describe, expect, it } from "vitest";

import { linked } from "../../src/lib/links";

const links = (text: string): string[] => linked(text).flatMap(({ href }) => href ?? []);

describe("links in a text", () => {
  it("keeps every character, in order", () => {
    const text = "See (https://example.org/a_(b)), www.example.com/x?y=1#z; or not.\nhttp://a.b";
    expect(
      linked(text)
        .map(({ words }) => words)
        .join(""),
    ).toBe(text);
    expect(links(text)).toEqual(["https://example.org/a_(b)", "https://www.example.com/x?y=1#z", "http://a.b"]);
  });

  it("leaves the punctuation of the sentence out", () => {
    expect(links("Read https://example.org/guide. Then “https://example.org/b”!")).toEqual([
      "https://example.org/guide",
      "https://example.org/b",
    ]);
  });

  it("links nothing but web addresses", () => {
    expect(links("javascript:alert(1) mailto:a@b.c file:///etc/x ftp://a.b example.org")).toEqual([]);
  });
});
