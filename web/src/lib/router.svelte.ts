/** Where in the tool the page is: its path, kept in the address so that reload, back and bookmarks work. */

class Router {
  path = $state(location.pathname);
  query = $state(location.search);

  constructor() {
    addEventListener("popstate", () => this.#read());
  }

  go(path: string, options: { replace?: boolean } = {}): void {
    if (path !== location.pathname + location.search) {
      if (options.replace) history.replaceState(null, "", path);
      else history.pushState(null, "", path);
    }
    this.#read();
    scrollTo(0, 0);
  }

  #read(): void {
    this.path = location.pathname;
    this.query = location.search;
  }
}

export const router = new Router();

/** On an element: links inside it to this site change the page without loading it. */
export function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  router.go(link.pathname + link.search);
}
