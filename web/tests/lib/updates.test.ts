import { expect, test } from "vitest";

import type { Event, Job } from "../../src/lib/types";
import { outdated, withJob } from "../../src/lib/updates";

const event: Event = { kind: "document", document: 4, revision: 7, by: "ada", action: "annotation.create" };
const job = (id: number, state: Job["state"], progress = 0): Job => ({ id, state, progress }) as Job;

test("a document is looked at again only for what is newer than what is shown", () => {
  expect(outdated(event, { id: 4, revision: 6 })).toBe(true);
  expect(outdated(event, { id: 4, revision: 7 })).toBe(false); // one's own change, answered already
  expect(outdated(event, { id: 4, revision: 9 })).toBe(false);
  expect(outdated(event, { id: 5, revision: 1 })).toBe(false);
  expect(outdated(event, null)).toBe(false);
  expect(outdated({ ...event, revision: null }, { id: 4, revision: 9 })).toBe(true);
});

test("jobs stay the newest first, each once, as last heard of", () => {
  const { jobs } = withJob([job(3, "queued"), job(2, "running", 0.1)], job(2, "running", 0.5));
  expect(jobs.map((one) => [one.id, one.progress])).toEqual([
    [3, 0],
    [2, 0.5],
  ]);
  expect(withJob(jobs, job(9, "queued")).jobs.map((one) => one.id)).toEqual([9, 3, 2]);
});

test("a job ends once", () => {
  const running = [job(2, "running")];
  expect(withJob(running, job(2, "running", 0.9)).ended).toBe(false);
  const over = withJob(running, job(2, "done", 1));
  expect(over.ended).toBe(true);
  expect(withJob(over.jobs, job(2, "done", 1)).ended).toBe(false);
  expect(withJob([], job(5, "failed")).ended).toBe(true); // it ended while nobody listened
});
