/** A list of documents whose rows stay where they are while people work on it. */

interface Identified {
  id: number;
}

export interface Held<Row> {
  rows: Row[];
  /** Ids of rows that the server's list no longer has. */
  gone: ReadonlySet<number>;
  /** Whether the server's list has another order, or new rows between the old ones. */
  moved: boolean;
}

/** The rows shown with what is new about them, each at its place; new ones at the end. */
export function held<Row extends Identified>(shown: readonly Row[], fresh: readonly Row[]): Held<Row> {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  const known = new Set(shown.map(({ id }) => id));
  const kept = shown.map((row) => byId.get(row.id) ?? row);
  const added = fresh.filter(({ id }) => !known.has(id));
  const rows = [...kept, ...added];
  const order = rows.filter(({ id }) => byId.has(id));
  return {
    rows,
    gone: new Set(shown.filter(({ id }) => !byId.has(id)).map(({ id }) => id)),
    moved: order.some(({ id }, index) => id !== fresh[index]?.id),
  };
}
