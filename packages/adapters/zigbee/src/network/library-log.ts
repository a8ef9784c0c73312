import type { AdapterLog } from "@ledge/port";

type Text = string | (() => string);

/** 32 hex digits or 16 bytes in a row: what a key looks like, which the library logs at times. */
const keys = [/\b(?:0x)?[0-9a-f]{32}\b/gi, /\b\d{1,3}(?:,\s*\d{1,3}){15}\b/g];

/** A text of the library's without the keys in it. */
export function withoutKeys(text: string): string {
  return keys.reduce((scrubbed, key) => scrubbed.replace(key, "[key]"), text);
}

/**
 * Has the library log here instead of to the console. What it takes for an error is often none for us: a stick that
 * is not there, a device that sleeps. Whoever called it decides.
 */
export async function logOfLibrary(log: AdapterLog): Promise<void> {
  const { setLogger } = await import("zigbee-herdsman");
  const at =
    (level: "debug" | "warn") =>
    (text: Text, namespace: string): void =>
      log(level, withoutKeys(typeof text === "function" ? text() : text).slice(0, mostChars), { namespace });
  // What it calls debugging is every frame.
  setLogger({ debug: () => {}, info: at("debug"), warning: at("warn"), error: at("warn") });
}

const mostChars = 500;
