/** The one event stream to the server, for as many projects as there are pages that show them. */

/** What the server tells. id: of the last thing that happened until then. */
export interface News {
  id: number;
  kind: string;
  data: { project?: number; projects?: number[] };
}

/** refused: the stream has ended for good, because of a proxy's 502 or because the session has expired. */
export type Condition = "begun" | "lost" | "refused";

interface Hearing {
  news: (news: News) => void;
  condition: (condition: Condition) => void;
}

const KINDS = ["job", "document", "documents", "model", "project"];

export class Source {
  #stream: EventSource | null = null;
  #projects: readonly number[] = [];

  constructor(private readonly hearing: Hearing) {}

  /** Whether there is a stream, if only one that tries to connect. */
  get on(): boolean {
    return this.#stream !== null;
  }

  /** Whether the stream tells of a project, or will as soon as it is open. */
  follows(project: number): boolean {
    return this.#stream !== null && this.#projects.includes(project);
  }

  /** Connect. after: id of the last event heard, null for none. */
  open(projects: readonly number[], after: number | null): void {
    this.close();
    this.#projects = projects;
    const query = new URLSearchParams(projects.map((project) => ["project", String(project)]));
    if (after !== null) query.set("after", String(after));
    const stream = new EventSource(`/api/events?${query}`);
    this.#stream = stream;
    stream.onerror = () => {
      // What is not closed connects again by itself, naming the last event it has seen.
      const refused = stream.readyState === EventSource.CLOSED;
      if (refused && this.#stream === stream) this.#stream = null;
      this.hearing.condition(refused ? "refused" : "lost");
    };
    const read = (event: Event): News => {
      const { type, data, lastEventId } = event as MessageEvent<string>;
      return { kind: type, data: JSON.parse(data) as News["data"], id: Number(lastEventId) };
    };
    for (const kind of KINDS) stream.addEventListener(kind, (event) => this.hearing.news(read(event)));
    stream.addEventListener("begin", (event) => {
      this.hearing.news(read(event));
      this.hearing.condition("begun");
    });
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }
}
