import { fork } from "node:child_process";
import { superviseAdapter } from "../supervisor.ts";

/** A hub with one adapter, for tests that kill the hub. Prints the adapter's process id. */
superviseAdapter({
  protocol: "troubled",
  settings: {},
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
  announced: () => {},
  reported: async () => {},
  changed: () => {},
  fork: () =>
    fork(new URL("./troubled-adapter.ts", import.meta.url), { serialization: "advanced", execArgv: [] }),
});
