import { expect, test } from "vitest";

import { Feedback } from "../../src/lib/feedback.svelte";

test("a success shows its status, and a failure its message", async () => {
  const feedback = new Feedback();
  expect(await feedback.run(async () => "Saved.")).toBe(true);
  expect([feedback.status, feedback.error, feedback.busy]).toEqual(["Saved.", "", false]);
  expect(await feedback.run(() => Promise.reject(new Error("The name is taken.")))).toBe(false);
  expect([feedback.status, feedback.error, feedback.busy]).toEqual(["", "The name is taken.", false]);
});

test("a page is busy while a request runs", async () => {
  const feedback = new Feedback();
  const done = feedback.run(async () => expect(feedback.busy).toBe(true));
  expect(feedback.busy).toBe(true);
  expect(await done).toBe(true);
});

test("a cancelled request shows neither its data nor its error", async () => {
  const feedback = new Feedback();
  const shown: string[] = [];
  const cancel = [
    feedback.load(
      () => Promise.resolve("late"),
      (data) => shown.push(data),
    ),
    feedback.load(
      () => Promise.reject(new Error("late")),
      () => undefined,
      () => shown.push("failed"),
    ),
  ];
  for (const stop of cancel) stop();
  await new Promise((resolve) => setTimeout(resolve));
  expect([shown, feedback.error]).toEqual([[], ""]);
});

test("loaded data is shown, and a failure is reported and handled", async () => {
  const feedback = new Feedback();
  const shown: string[] = [];
  feedback.load(
    () => Promise.resolve("data"),
    (data) => shown.push(data),
  );
  feedback.load(
    () => Promise.reject(new Error("Refused.")),
    () => undefined,
    () => shown.push("failed"),
  );
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown.sort()).toEqual(["data", "failed"]);
  expect(feedback.error).toBe("Refused.");
});
