import type { JSX } from "preact";

/** Drawings of 24 x 24, in the manner of lucide (ISC). */
const paths = {
  home: "M3 10.5 12 3l9 7.5V20a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z",
  devices: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  rules: "M5 4v6a4 4 0 0 0 4 4h10M15 10l4 4-4 4M5 20v.5",
  time: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  more: "M4 6h16M4 12h16M4 18h16",
  alarm: "M12 3 2 20h20zM12 9v5M12 17v.5",
  back: "m14 6-6 6 6 6",
  close: "m6 6 12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof paths;

/** A drawing beside a text; it says nothing of its own. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
