import { startAdapterProcess } from "@ledge/port";
import { superviseAdapter } from "../supervisor.ts";

/** A hub with one adapter, for tests that kill the hub. Prints the adapter's process id. */
superviseAdapter({
  protocol: "troubled",
  settings: {},
  folder: "/dev/null/caches",
  store: { entries: () => [], put: async () => {} },
  clock: {
    monotonic: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  },
  log: (_level, message, fields) => {
    if (message === "pid") process.stdout.write(`${String(fields?.["pid"])}\n`);
  },
  random: Math.random,
  announced: async () => {},
  found: async () => {},
  lost: async () => {},
  troubled: async () => {},
  reported: async () => {},
  changed: () => {},
  memoryMb: 64,
  fork: () => startAdapterProcess(new URL("./troubled-adapter.ts", import.meta.url)),
});
