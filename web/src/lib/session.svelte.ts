/** Who is signed in, shared by all pages. */

import type { Session } from "./types";

class Sessions {
  /** Kept when the session expires: the same user can sign in again and continue. */
  current: Session | null = $state.raw(null);
  /** Whether the session has expired: pages stay as they are until somebody signs in. */
  expired = $state(false);
  #waiting: (() => void)[] = [];

  get admin(): boolean {
    return this.current?.role === "admin";
  }

  /** Refused requests are sent again; if somebody else signs in, the page is reloaded. */
  begin(session: Session): void {
    const other = this.expired && this.current?.name !== session.name;
    this.current = session;
    this.expired = false;
    if (other) {
      location.reload();
      return;
    }
    for (const resume of this.#waiting.splice(0)) resume();
  }

  end(): void {
    this.current = null;
    this.expired = false;
  }

  /** Wait until somebody signs in after a request of an expired session. Returns whether to send the request again. */
  async renewed(of: Session | null): Promise<boolean> {
    if (!of) return false;
    if (this.current === of) {
      this.expired = true;
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
    return this.current !== null;
  }
}

export const session = new Sessions();
