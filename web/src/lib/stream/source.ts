/** The event stream from the server, for several projects. */

/** A server event. id: of the last event so far. */
export interface StreamEvent {
  id: number;
  kind: string;
  data: { project?: number; projects?: number[] };
}

/** refused: the stream has ended for good, because of a proxy error such as 502, or because the session has expired. */
export type Condition = "begun" | "lost" | "refused";

export interface StreamListener {
  event: (event: StreamEvent) => void;
  /** Reported repeatedly. "begun": no later event is missed. */
  condition: (condition: Condition) => void;
}

const KINDS = ["job", "document", "documents", "comments", "model", "project"];

export class Source {
  #stream: EventSource | null = null;
  #projects: readonly number[] = [];

  constructor(private readonly listener: StreamListener) {}

  /** Whether there is a stream, even if it is still connecting. */
  get on(): boolean {
    return this.#stream !== null;
  }

  /** Whether the stream covers a project, even if it is still connecting. */
  covers(project: number): boolean {
    return this.#stream !== null && this.#projects.includes(project);
  }

  /** Connect. after: id of the last event received, null for none. */
  open(projects: readonly number[], after: number | null): void {
    this.close();
    this.#projects = projects;
    const query = new URLSearchParams(projects.map((project) => ["project", String(project)]));
    if (after !== null) query.set("after", String(after));
    const stream = new EventSource(`/api/events?${query}`);
    this.#stream = stream;
    stream.onerror = () => {
      // Unless it is closed, it reconnects by itself and names the last event it received.
      const refused = stream.readyState === EventSource.CLOSED;
      if (refused && this.#stream === stream) this.#stream = null;
      this.listener.condition(refused ? "refused" : "lost");
    };
    const receive = (event: Event): void => {
      const { type, data, lastEventId } = event as MessageEvent<string>;
      this.listener.event({ kind: type, data: JSON.parse(data) as StreamEvent["data"], id: Number(lastEventId) });
    };
    for (const kind of KINDS) stream.addEventListener(kind, receive);
    stream.addEventListener("begin", (event) => {
      receive(event);
      this.listener.condition("begun");
    });
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }
}
