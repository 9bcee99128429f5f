/** The project that a page shows, kept up to date by the server's events. */

import { get, messageOf } from "./api";
import { listen } from "./events";
import { outbox } from "./outbox.svelte";
import { withJob } from "./updates";
import type { Job, Project } from "./types";

/** Least milliseconds between two reloads, and from an event to its reload. */
const INTERVAL = 1500;
const DELAY = 250;

export class ProjectState {
  project: Project | null = $state.raw(null);
  jobs: Job[] = $state.raw([]);
  error = $state("");
  lost = $state(false);
  /** Increased when documents change, so that lists are loaded again. */
  changes = $state(0);
  /** Increased when somebody comments. */
  comments = $state(0);
  /** Increased when there is another model. */
  models = $state(0);
  #stop: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loaded = 0;

  readonly working: Job | null = $derived(
    this.jobs.find((job) => job.state === "running") ?? this.jobs.find((job) => job.state === "queued") ?? null,
  );

  /** Whether the user may change the project. */
  readonly managed: boolean = $derived(this.project?.role === "manager");
  /** Whether the user may see the work of everybody. */
  readonly curated: boolean = $derived(this.managed || this.project?.role === "curator");

  constructor(readonly id: number) {
    void this.load();
    this.#stop = listen(id, {
      job: (job) => this.update(job),
      document: () => this.#reload(),
      documents: () => this.#reload(),
      comments: () => this.comments++,
      project: () => this.#reload(),
      model: () => {
        this.models++;
        this.#reload();
      },
      lost: () => (this.lost = true),
      back: () => {
        this.lost = false;
        outbox.retry();
        void this.load();
        this.changes++;
        this.comments++;
        this.models++;
      },
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }

  async load(): Promise<void> {
    try {
      [this.project, this.jobs] = await Promise.all([
        get<Project>(`/projects/${this.id}`),
        get<Job[]>(`/projects/${this.id}/jobs`, { limit: 20 }),
      ]);
      this.error = "";
    } catch (error) {
      this.error = messageOf(error);
    }
  }

  /** Show a new or changed job. */
  update(job: Job): void {
    const { jobs, ended } = withJob(this.jobs, job);
    this.jobs = jobs;
    if (ended) {
      this.models++;
      this.#reload();
    }
  }

  /** Load the project soon. Many events share one reload. */
  #reload(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#loaded = Date.now();
        void this.load();
        this.changes++;
      },
      Math.max(DELAY, this.#loaded + INTERVAL - Date.now()),
    );
  }
}
