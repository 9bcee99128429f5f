/** The path of the current page. It is in the address bar, so that reload, back and bookmarks work. */

class Router {
  path = $state(location.pathname);

  constructor() {
    addEventListener("popstate", () => (this.path = location.pathname));
  }

  go(path: string): void {
    if (path !== location.pathname + location.search) history.pushState(null, "", path);
    this.path = location.pathname;
    scrollTo(0, 0);
  }
}

export const router = new Router();

/** Click handler: links to this site change the page without reloading it. */
export function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  router.go(link.pathname + link.search);
}
