import { pause } from "../../browser.ts";
import { home, sync } from "../../store/home.ts";

/** The hub tells of a new device at once; a page that hears nothing for so long (ms) goes on without it. */
const patienceMs = 10_000;

/** Returns the devices that the page knows besides those of before. */
export function newcomersSince(before: ReadonlySet<string>): readonly string[] {
  return home.of.devices.ids.value.filter((id) => !before.has(id));
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
