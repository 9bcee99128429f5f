/** Who is signed in, shared by all pages. */

import type { Session } from "./types";

class Sessions {
  current: Session | null = $state(null);
  /** Whether the last session ended by itself, so that the page can say so. */
  expired = $state(false);

  get admin(): boolean {
    return this.current?.role === "admin";
  }

  begin(session: Session): void {
    this.current = session;
    this.expired = false;
  }

  end(): void {
    this.current = null;
    this.expired = false;
  }

  expire(): void {
    if (this.current) this.expired = true;
    this.current = null;
  }
}

export const session = new Sessions();
