/** Requests to the server. They throw `Refused` if it refuses, and `Unreachable` if it does not answer. */

import { session } from "./session.svelte";
import type { Refusal } from "./types";

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: Refusal,
  ) {
    super(problem.message);
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The server does not answer. Try again when it is back.");
  }
}

type Query = Record<string, string | number | boolean | string[] | null | undefined>;

/** URL of an API path with a query. Empty values are left out; a list repeats its name. */
export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  const encoded = search.toString();
  return `/api${path}${encoded ? `?${encoded}` : ""}`;
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  send("GET", address(path, query), undefined, signal);
export const post = <T>(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<T> =>
  send("POST", address(path), body, undefined, headers);
export const patch = <T>(path: string, body: unknown): Promise<T> => send("PATCH", address(path), body);
export const put = <T>(path: string, body: unknown): Promise<T> => send("PUT", address(path), body);
export const remove = <T>(path: string, query?: Query): Promise<T> => send("DELETE", address(path, query));

/** Send a change that may have been sent before. A DELETE has its body in the query. */
export function deliver<T>(
  method: string,
  path: string,
  body: Record<string, unknown>,
  token: string,
  signal: AbortSignal,
): Promise<T> {
  const inQuery = method === "DELETE";
  const query = new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)])).toString();
  const url = inQuery ? `${address(path)}${path.includes("?") ? "&" : "?"}${query}` : address(path);
  return send(method, url, inQuery ? undefined : body, signal, { "Idempotency-Key": token });
}

/** The message of an error, for users. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function send<T>(
  method: string,
  url: string,
  body?: unknown,
  signal?: AbortSignal,
  more: Record<string, string> = {},
): Promise<T> {
  const headers: Record<string, string> = { ...more };
  const current = session.current;
  if (method !== "GET" && current) headers["X-CSRF-Token"] = current.csrf;
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers,
      body: body === undefined ? null : form ? body : JSON.stringify(body),
      credentials: "same-origin",
      signal: signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  if (answer.ok) return (answer.status === 204 ? undefined : await answer.json()) as T;
  const problem = await problemOf(answer);
  // The request had no effect, so it can be sent again after the user has signed in.
  if (answer.status === 401 && url !== "/api/session" && (await session.renewed(current)))
    return send(method, url, body, signal, more);
  throw new Refused(answer.status, problem);
}

async function problemOf(answer: Response): Promise<Refusal> {
  try {
    return (await answer.json()) as Refusal;
  } catch {
    const message = `The server answered ${answer.status} without a message.`;
    return { code: "internal", message };
  }
}
