/** The parts of a project, in four tabs. Each part has an address of its own, `/projects/1/queue`; that of a tab,
 * `/projects/1/data`, is its first part's. */

import type { Project } from "../lib/types";

export interface Part {
  name: string;
  label: string;
}

export interface Tab extends Part {
  parts: readonly Part[];
}

/** What decides which parts a user sees. */
export interface Seen {
  managed: boolean;
  curated: boolean;
  mode: Project["mode"];
}

const TABS: readonly (Part & { parts: readonly (Part & { seen?: (user: Seen) => boolean })[] })[] = [
  {
    name: "annotate",
    label: "Annotate",
    parts: [
      { name: "queue", label: "Queue" },
      { name: "documents", label: "Documents" },
      { name: "mentions", label: "Mentions" },
      { name: "mapping", label: "Mapping" },
      { name: "comments", label: "Comments" },
    ],
  },
  {
    name: "data",
    label: "Data",
    parts: [
      { name: "upload", label: "Upload", seen: ({ managed }) => managed },
      { name: "export", label: "Export" },
      { name: "history", label: "History" },
      { name: "settings", label: "Settings", seen: ({ managed }) => managed },
    ],
  },
  {
    name: "model",
    label: "Model",
    parts: [
      { name: "training", label: "Training" },
      { name: "learned", label: "Learnt", seen: ({ curated, mode }) => curated || mode === "shared" },
    ],
  },
  {
    name: "team",
    label: "Team",
    parts: [
      { name: "progress", label: "Progress" },
      { name: "disagreements", label: "Disagreements", seen: ({ curated, mode }) => curated && mode === "independent" },
      { name: "agreement", label: "Agreement", seen: ({ curated }) => curated },
      { name: "members", label: "Members", seen: ({ curated }) => curated },
    ],
  },
];

/** The tabs and parts that a user sees. */
export const tabsFor = (user: Seen): Tab[] =>
  TABS.map((tab) => ({ ...tab, parts: tab.parts.filter(({ seen }) => seen?.(user) ?? true) }));

/** The tab and the part of an address; null for others. */
export function placeOf(tabs: readonly Tab[], address: string): { tab: Tab; part: Part } | null {
  for (const tab of tabs) {
    const part = tab.parts.find(({ name }) => name === address) ?? (tab.name === address ? tab.parts[0] : undefined);
    if (part) return { tab, part };
  }
  return null;
}
