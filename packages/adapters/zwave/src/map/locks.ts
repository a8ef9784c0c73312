import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import { numberIn } from "./value.ts";

/** Modes of a door lock. */
export const lockMode = { unsecured: 0x00, secured: 0xff } as const;

export const locks: readonly ValueRow[] = [
  {
    commandClass: commandClass.doorLock,
    property: "currentMode",
    capabilities: () => ["LOCK"],
    attributes({ value }) {
      // Whatever is not fully locked counts as open, to be safe. 254 means that nobody knows.
      const mode = numberIn(value, 0, 0xff);
      return mode === undefined || mode === 0xfe ? {} : { locked: mode === lockMode.secured };
    },
  },
  {
    commandClass: commandClass.doorLock,
    property: "doorStatus",
    capabilities: () => ["CONTACT"],
    attributes: ({ value }) => (value === "open" || value === "closed" ? { open: value === "open" } : {}),
  },
  {
    commandClass: commandClass.lock,
    property: "locked",
    capabilities: () => ["LOCK"],
    attributes: ({ value }) => (typeof value === "boolean" ? { locked: value } : {}),
  },
];
