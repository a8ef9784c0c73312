import { type ReadonlySignal, useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { pause } from "../../browser.ts";
import { home, sync } from "../../store/home.ts";

/** The hub tells of a new device at once; a page that hears nothing for so long (ms) goes on without it. */
const patienceMs = 10_000;

/** Returns the devices that the page knows besides those of before. */
function newcomersSince(before: ReadonlySet<string>): readonly string[] {
  return home.of.devices.ids.value.filter((id) => !before.has(id));
}

/** Returns the devices that have come since the view was opened, by id. */
export function useNewcomers(): ReadonlySignal<readonly string[]> {
  const [before] = useState<ReadonlySet<string>>(() => new Set(home.of.devices.ids.peek()));
  return useComputed(() => newcomersSince(before));
}

/** Resolves with the devices besides those of before, when there are some. */
export async function nextNewcomers(before: ReadonlySet<string>): Promise<readonly string[]> {
  sync.hurry();
  const come = new AbortController();
  const stop = home.of.devices.ids.subscribe((ids) => {
    if (ids.some((id) => !before.has(id))) come.abort();
  });
  await pause(patienceMs, come.signal);
  stop();
  return newcomersSince(before);
}
