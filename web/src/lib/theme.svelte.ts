/** Light, dark, or as the system has it; remembered by the browser. */

export type Theme = "system" | "light" | "dark";
const KEY = "linnet-theme";

class Themes {
  current: Theme = $state("system");

  constructor() {
    const kept = localStorage.getItem(KEY);
    this.set(kept === "light" || kept === "dark" ? kept : "system");
  }

  set(theme: Theme): void {
    this.current = theme;
    document.documentElement.dataset["theme"] = theme;
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  }
}

export const theme = new Themes();
