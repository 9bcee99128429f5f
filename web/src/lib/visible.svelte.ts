/** Which of many elements are near the window, so that only these are drawn. */

export class Visible {
  /** Keys of the elements near the window. */
  keys: ReadonlySet<number> = $state.raw(new Set());
  #observer: IntersectionObserver;
  #keys = new WeakMap<Element, number>();
  #heights = new Map<number, number>();

  /** near: the distance that counts as near, in pixels or in per cent of the window's height. */
  constructor(near: string) {
    const options = { rootMargin: `${near} 0px`, scrollMargin: `${near} 0px` };
    this.#observer = new IntersectionObserver((entries) => this.#update(entries), options);
  }

  /** For an element's `{@attach}`. */
  watch(key: number): (element: Element) => () => void {
    return (element) => {
      this.#keys.set(element, key);
      this.#observer.observe(element);
      return () => this.#observer.unobserve(element);
    };
  }

  /** Height in pixels when the element was last near; undefined if it never was. */
  height(key: number): number | undefined {
    return this.#heights.get(key);
  }

  close(): void {
    this.#observer.disconnect();
  }

  #update(entries: readonly IntersectionObserverEntry[]): void {
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
