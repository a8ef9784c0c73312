import { type ReadonlySignal, signal } from "@preact/signals";

/** Whose sheet is open. */
export interface Opened {
  readonly kind: "device" | "group";
  readonly id: string;
}

const shown = signal<Opened | undefined>(undefined);

/** Whose sheet is open where tiles are; undefined while none is. */
export const openedSheet: ReadonlySignal<Opened | undefined> = shown;

export function openSheet(of: Opened): void {
  shown.value = of;
}

export function closeSheet(): void {
  shown.value = undefined;
}
