/** Feedback on the requests of a page: an error, a success, and whether a request is running. */

import { messageOf } from "./api";

export class Feedback {
  error = $state("");
  status = $state("");
  busy = $state(false);

  /** Do some work; a text that it returns becomes the status. Returns whether it succeeded. */
  async run(work: () => Promise<string | void>): Promise<boolean> {
    [this.error, this.status, this.busy] = ["", "", true];
    try {
      this.status = (await work()) ?? "";
      return true;
    } catch (error) {
      this.error = messageOf(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Handler of a form: does the work instead of submitting the form. */
  submit(work: () => Promise<string | void>): (event: SubmitEvent) => Promise<boolean> {
    return (event) => {
      event.preventDefault();
      return this.run(work);
    };
  }

  /** Load and show data. Returns a function that cancels this, for effects to return. */
  load<T>(request: (signal: AbortSignal) => Promise<T>, show: (data: T) => void, failed?: () => void): () => void {
    const abort = new AbortController();
    request(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) show(data);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        this.error = messageOf(error);
        failed?.();
      },
    );
    return () => abort.abort();
  }
}
