import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { adapterEnvironment } from "./environment.ts";
import { superviseAdapter } from "./supervisor.ts";

test("an adapter's environment holds what a process needs and none of the hub's own variables", () => {
  const needed = {
    PATH: "/bin",
    HOME: "/root",
    TZ: "UTC",
    LANG: "C",
    LC_ALL: "C",
    LC_TIME: "C",
    NODE_COMPILE_CACHE: "/c",
    MALLOC_ARENA_MAX: "1",
    MALLOC_MMAP_THRESHOLD_: "32768",
  };
  const withheld = {
    LEDGE_SCRAPE_TOKEN: "secret",
    CREDENTIALS_DIRECTORY: "/run/credentials",
    NOTIFY_SOCKET: "/run/systemd/notify",
    NODE_OPTIONS: "--inspect",
    XLC_ALL: "x",
  };
  assert.deepEqual(adapterEnvironment({ ...needed, ...withheld }), needed);
  assert.deepEqual(adapterEnvironment({ PATH: undefined }), {});
});

/** The environments of this process's children. */
function environmentsOfChildren(): string[] {
  const found: string[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      if (Number(parent) === process.pid) found.push(readFileSync(`/proc/${pid}/environ`, "utf8"));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

test("an adapter's process does not see the hub's token", async () => {
  process.env["LEDGE_SCRAPE_TOKEN"] = "canary-of-the-hub";
  const started = Promise.withResolvers<void>();
  const adapter = superviseAdapter({
    protocol: "sim",
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
    log: () => {},
    random: () => 0,
    announced: async () => {},
    found: async () => {},
    lost: async () => {},
    troubled: async () => {},
    memoryMb: 64,
    reported: async () => {},
    changed: ({ state, reason }) => {
      if (state === "running") started.resolve();
      else if (state !== "starting") started.reject(new Error(String(reason)));
    },
  });
  try {
    await started.promise;
    const environments = environmentsOfChildren();
    assert.ok(environments.length > 0);
    for (const environment of environments) {
      assert.ok(environment.includes("PATH="));
      assert.ok(!environment.includes("canary-of-the-hub"));
    }
  } finally {
    delete process.env["LEDGE_SCRAPE_TOKEN"];
    await adapter.stop();
  }
});
