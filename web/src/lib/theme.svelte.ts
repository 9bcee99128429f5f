/** The colours: light, dark, or those of the system. The browser remembers them. */

export type Theme = "system" | "light" | "dark";
const KEY = "linnet-theme";

class Themes {
  current: Theme = $state("system");

  constructor() {
    const stored = localStorage.getItem(KEY);
    this.set(stored === "light" || stored === "dark" ? stored : "system");
  }

  set(theme: Theme): void {
    this.current = theme;
    document.documentElement.dataset["theme"] = theme;
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  }
}

export const theme = new Themes();
