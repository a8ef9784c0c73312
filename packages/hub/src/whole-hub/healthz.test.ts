import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@ledge/testkit";
import { eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

interface Health {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function healthAt(address: string): Promise<Health> {
  const response = await fetch(`${address}/healthz`);
  return { status: response.status, body: (await response.json()) as Health["body"] };
}

/** Asserts that an answer has the one shape, with this state. */
function assertShape({ status, body }: Health, code: number, state: string, reason: RegExp | null): void {
  const types = Object.entries(body).map(
    ([name, value]) => `${name}: ${value === null ? "null" : typeof value}`,
  );
  assert.deepEqual(types, [
    "status: string",
    `reason: ${reason === null ? "null" : "string"}`,
    "message: string",
    "clockTrusted: boolean",
    "quotaExceeded: boolean",
  ]);
  assert.deepEqual([status, body["status"]], [code, state]);
  if (reason !== null) assert.match(String(body["reason"]), reason);
}

test("GET /healthz has one shape while the hub starts, serves, has a full disk, and has lost its log", async (t) => {
  const root = temporaryFolder();
  t.after(() => root.remove());
  const [folder, free] = [join(root.path, "data"), join(root.path, "free")];
  const port = await freePort();
  const start = (): Promise<HubProcess> =>
    HubProcess.startWith(
      { LEDGE_TEST_FREE: free },
      new URL("../testdata/told-free.ts", import.meta.url),
      folder,
      "--port",
      String(port),
    );
  const address = `http://127.0.0.1:${port}`;
  writeFileSync(free, "wait");
  const started = start();
  // Nobody listens before the process runs.
  const early = await eventually("an answer", () => healthAt(address).catch(() => undefined));
  assertShape(early, 503, "starting", /opens its log/);
  writeFileSync(free, String(64 * 1_048_576));
  const hub = await started;
  t.after(() => hub.kill());
  assertShape(await healthAt(address), 200, "serving", null);

  writeFileSync(free, "1048576");
  const full = await eventually("read-only", async () => {
    const health = await healthAt(address);
    return health.body["status"] === "serving" ? undefined : health;
  });
  assertShape(full, 200, "read-only", /the disk is full/);
  await hub.stop();

  writeFileSync(free, String(64 * 1_048_576));
  rmSync(join(folder, "log", "data.mdb"));
  const rescued = await start();
  t.after(() => rescued.kill());
  assertShape(await healthAt(address), 503, "rescue", /nothing of it can be read/);
});
