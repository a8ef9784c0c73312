import { signal } from "@preact/signals";
import { keep, kept } from "../browser.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const theme = signal<Theme>("system");

/** Shows the page in the colours that were chosen last. */
export async function openTheme(): Promise<void> {
  const found = await kept<Theme>("theme");
  if (found !== undefined && themes.includes(found)) show(found);
}

export function choose(chosen: Theme): void {
  show(chosen);
  void keep("theme", chosen);
}

function show(chosen: Theme): void {
  theme.value = chosen;
  const { dataset } = document.documentElement;
  if (chosen === "system") delete dataset["theme"];
  else dataset["theme"] = chosen;
}
