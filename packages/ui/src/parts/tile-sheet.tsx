import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { DeviceSheet } from "./device-sheet.tsx";
import { followHolds } from "./holds.ts";

/** The device whose sheet is open. */
const opened = signal<string | undefined>(undefined);

/** Opens the sheet of a device, where tiles are. */
export function openDeviceSheet(id: string): void {
  opened.value = id;
}

function tileAt(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>("[data-device]")) || undefined;
}

/** The focus goes to the tile, so that it is there again when the sheet is closed. */
function openFor(tile: HTMLElement): void {
  if (!tile.contains(document.activeElement)) tile.querySelector("a")?.focus({ preventScroll: true });
  opened.value = tile.dataset["device"];
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** The sheet of the device whose tile is held, or has the focus at the context-menu key. */
export function TileSheet(): JSX.Element | null {
  useEffect(() => {
    const stop = followHolds(document, { find: tileAt, open: openFor, after });
    return () => {
      stop();
      opened.value = undefined;
    };
  }, []);
  const { value: id } = opened;
  return id === undefined ? null : <DeviceSheet key={id} id={id} close={() => (opened.value = undefined)} />;
}
