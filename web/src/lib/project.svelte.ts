/** A project while a page shows it: kept as it is by what the server tells. */

import { get, messageOf } from "./api";
import { listen } from "./events";
import { withJob } from "./updates";
import type { Job, Project } from "./types";

/** Milliseconds between two looks at a project in which much happens. */
const OFTEN = 1500;

export class ProjectState {
  project: Project | null = $state.raw(null);
  jobs: Job[] = $state.raw([]);
  trouble = $state("");
  lost = $state(false);
  /** Raised whenever documents changed, for lists to look again. */
  changes = $state(0);
  /** Raised whenever there is another model. */
  models = $state(0);
  #stop: () => void;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #looked = 0;

  readonly working: Job | null = $derived(
    this.jobs.find((job) => job.state === "running") ?? this.jobs.find((job) => job.state === "queued") ?? null,
  );

  constructor(readonly id: number) {
    void this.load();
    this.#stop = listen(id, {
      job: (job) => this.heard(job),
      document: () => this.#soon(),
      documents: () => this.#soon(),
      project: () => this.#soon(),
      model: () => {
        this.models++;
        this.#soon();
      },
      lost: () => (this.lost = true),
      back: () => {
        this.lost = false;
        void this.load();
        this.changes++;
        this.models++;
      },
    });
  }

  close(): void {
    clearTimeout(this.#waiting);
    this.#stop();
  }

  async load(): Promise<void> {
    try {
      [this.project, this.jobs] = await Promise.all([
        get<Project>(`/projects/${this.id}`),
        get<Job[]>(`/projects/${this.id}/jobs`, { limit: 20 }),
      ]);
      this.trouble = "";
    } catch (error) {
      this.trouble = messageOf(error);
    }
  }

  heard(job: Job): void {
    const { jobs, ended } = withJob(this.jobs, job);
    this.jobs = jobs;
    if (ended) {
      this.models++;
      this.#soon();
    }
  }

  /** Many events come at once, when a model predicts, or all the time, when many annotate: look now and then. */
  #soon(): void {
    this.#waiting ??= setTimeout(
      () => {
        this.#waiting = undefined;
        this.#looked = Date.now();
        void this.load();
        this.changes++;
      },
      Math.max(250, this.#looked + OFTEN - Date.now()),
    );
  }
}
