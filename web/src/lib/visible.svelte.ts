/** Which of many elements are near the window, so that only these need be drawn. */

export class Visible {
  /** Keys of those that are. */
  keys: ReadonlySet<number> = $state.raw(new Set());
  #observer: IntersectionObserver;
  #keys = new WeakMap<Element, number>();
  #heights = new Map<number, number>();

  /** near: pixels, or the part of a window's height in per cent, that count as near. */
  constructor(near: string) {
    const options = { rootMargin: `${near} 0px`, scrollMargin: `${near} 0px` };
    this.#observer = new IntersectionObserver((entries) => this.#seen(entries), options);
  }

  /** For `{@attach}` of an element. */
  watch(key: number): (element: Element) => () => void {
    return (element) => {
      this.#keys.set(element, key);
      this.#observer.observe(element);
      return () => this.#observer.unobserve(element);
    };
  }

  /** Pixels it was high when it was last near. */
  height(key: number): number | undefined {
    return this.#heights.get(key);
  }

  close(): void {
    this.#observer.disconnect();
  }

  #seen(entries: readonly IntersectionObserverEntry[]): void {
    const keys = new Set(this.keys);
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const key = this.#keys.get(target);
      if (key === undefined) continue;
      if (isIntersecting) keys.add(key);
      else if (keys.delete(key)) this.#heights.set(key, boundingClientRect.height);
    }
    this.keys = keys;
  }
}
