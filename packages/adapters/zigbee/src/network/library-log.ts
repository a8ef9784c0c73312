import type { AdapterLog } from "@ledge/port";

type Text = string | (() => string);

/** Patterns of keys, which the library sometimes logs: 32 hex digits, or 16 bytes in a row. */
const keys = [/\b(?:0x)?[0-9a-f]{32}\b/gi, /\b\d{1,3}(?:,\s*\d{1,3}){15}\b/g];

/** Returns a text of the library with its keys replaced. */
export function withoutKeys(text: string): string {
  return keys.reduce((scrubbed, key) => scrubbed.replace(key, "[key]"), text);
}

/**
 * Redirects the library's log here. Its errors count as warnings, because many are not faults: a missing stick,
 * a sleeping device. The caller of the library decides.
 */
export async function logOfLibrary(log: AdapterLog): Promise<void> {
  const { setLogger } = await import("zigbee-herdsman");
  const at =
    (level: "debug" | "warn") =>
    (text: Text, namespace: string): void =>
      log(level, withoutKeys(typeof text === "function" ? text() : text).slice(0, mostChars), { namespace });
  // Its debug lines are dropped: it logs every frame.
  setLogger({ debug: () => {}, info: at("debug"), warning: at("warn"), error: at("warn") });
}

const mostChars = 500;
