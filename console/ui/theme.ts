export type Theme = "system" | "light" | "dark";

const KEPT_AS = "findling.theme";

/** What was chosen; what the system says unless something was. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEPT_AS, theme);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
}

export function isDark(): boolean {
  const theme = chosenTheme();
  return theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
