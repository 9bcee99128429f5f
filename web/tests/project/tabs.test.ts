import { expect, test } from "vitest";

import { placeOf, tabsFor, type Seen } from "../../src/project/tabs";

const manager: Seen = { managed: true, curated: true, mode: "independent" };
const annotator: Seen = { managed: false, curated: false, mode: "independent" };
const names = (user: Seen) => tabsFor(user).map(({ label, parts }) => [label, ...parts.map((part) => part.name)]);

test("four tabs hold every part", () => {
  expect(names(manager)).toEqual([
    ["Annotate", "queue", "documents", "mentions", "mapping", "comments"],
    ["Data", "upload", "export", "history", "settings"],
    ["Model", "training", "learned"],
    ["Team", "progress", "disagreements", "agreement", "members"],
  ]);
});

test("annotators see their own, and what is learnt where work is shared", () => {
  expect(names(annotator)).toEqual([
    ["Annotate", "queue", "documents", "mentions", "mapping", "comments"],
    ["Data", "export", "history"],
    ["Model", "training"],
    ["Team", "progress"],
  ]);
  expect(names({ ...annotator, mode: "shared" })[2]).toEqual(["Model", "training", "learned"]);
  expect(names({ managed: false, curated: true, mode: "shared" })[3]).toEqual([
    "Team",
    "progress",
    "agreement",
    "members",
  ]);
});

test("the addresses of all earlier tabs lead to their part, that of a tab to its first one", () => {
  const tabs = tabsFor(manager);
  const earlier =
    "queue documents mentions comments upload training learned disagreements agreement progress export history members settings";
  for (const address of earlier.split(" ")) expect(placeOf(tabs, address)?.part.name).toBe(address);
  expect(["annotate", "data", "model", "team"].map((address) => placeOf(tabs, address)?.part.name)).toEqual([
    "queue",
    "upload",
    "training",
    "progress",
  ]);
  expect(placeOf(tabsFor(annotator), "data")?.part.name).toBe("export");
  expect([placeOf(tabs, "nowhere"), placeOf(tabsFor(annotator), "members")]).toEqual([null, null]);
});
