import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { DeviceSheet } from "./device-sheet.tsx";
import { GroupSheet } from "./group-sheet.tsx";
import { followHolds } from "./holds.ts";
import { closeSheet, openedSheet, openSheet } from "./opened-sheet.ts";

function tileAt(target: EventTarget | null): HTMLElement | undefined {
  return (
    (target instanceof Element && target.closest<HTMLElement>("[data-device], [data-group]")) || undefined
  );
}

/** The focus goes to the tile, so that it is there again when the sheet is closed. */
function openFor(tile: HTMLElement): void {
  if (!tile.contains(document.activeElement))
    tile.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true });
  const { device, group } = tile.dataset;
  if (device !== undefined) openSheet({ kind: "device", id: device });
  else if (group !== undefined) openSheet({ kind: "group", id: group });
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** The sheet of the device or group whose tile is held, or has the focus at the context-menu key. */
export function TileSheet(): JSX.Element | null {
  useEffect(() => {
    const stop = followHolds(document, { find: tileAt, open: openFor, after });
    return () => {
      stop();
      closeSheet();
    };
  }, []);
  const { value: opened } = openedSheet;
  if (opened === undefined) return null;
  const { kind, id } = opened;
  const Of = kind === "device" ? DeviceSheet : GroupSheet;
  return <Of key={id} id={id} close={closeSheet} />;
}
