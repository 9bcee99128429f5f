/** Who is signed in, shared by all pages. */

import type { Session } from "./types";

class Sessions {
  /** Kept when the session expires, for whoever was there to sign in again. */
  current: Session | null = $state.raw(null);
  /** Whether it ended by itself: pages stay as they are until somebody signs in again. */
  expired = $state(false);
  #waiting: (() => void)[] = [];

  get admin(): boolean {
    return this.current?.role === "admin";
  }

  /** What was refused meanwhile is sent again; for somebody else the page starts anew. */
  begin(session: Session): void {
    const other = this.expired && this.current?.name !== session.name;
    this.current = session;
    this.expired = false;
    if (other) {
      location.reload();
      return;
    }
    for (const go of this.#waiting.splice(0)) go();
  }

  end(): void {
    this.current = null;
    this.expired = false;
  }

  /** A request of a session was refused because nobody is signed in: wait until somebody is, true where it is worth sending again. */
  async renewed(of: Session | null): Promise<boolean> {
    if (!of) return false;
    if (this.current === of) {
      this.expired = true;
      await new Promise<void>((go) => this.#waiting.push(go));
    }
    return this.current !== null;
  }
}

export const session = new Sessions();
