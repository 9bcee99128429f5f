/** What an entry of the log changed, in a line. */

interface State {
  start?: number;
  end?: number;
  type?: string;
  concepts?: string[];
  nil?: boolean;
}

const SHOWN = 3;

export function summary(changes: unknown): string {
  if (typeof changes !== "object" || changes === null) return "";
  const lines: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    if (name === "annotations" && Array.isArray(value)) {
      lines.push(...value.slice(0, SHOWN).map((one: { before: State | null; after: State | null }) => edit(one.before, one.after)));
      if (value.length > SHOWN) lines.push(`and ${value.length - SHOWN} more`);
    } else if (Array.isArray(value) && value.length === 2 && name !== "removed") {
      lines.push(`${name}: ${said(value[0])} → ${said(value[1])}`);
    } else {
      lines.push(`${name}: ${said(value)}`);
    }
  }
  return lines.join("; ");
}

function edit(before: State | null, after: State | null): string {
  if (!before) return `made ${place(after)}`;
  if (!after) return `removed ${place(before)}`;
  return `${place(before)} → ${place(after)}`;
}

function place(state: State | null): string {
  if (!state) return "";
  const what = state.nil ? "NIL" : state.concepts?.join(" + ") || "not linked";
  return `${state.start}–${state.end} ${state.type ?? ""} ${what}`.replace(/ +/g, " ");
}

function said(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
