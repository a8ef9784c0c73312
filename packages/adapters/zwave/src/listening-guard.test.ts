import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type ServedStick, serveStick, ZWaveStick } from "@ledge/testkit/zwave";
import { Driver, ZWaveController } from "zwave-js";
import { guardListening, type Listening } from "./listening-guard.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-zwave-"));
let served: ServedStick<ZWaveStick>;

before(async () => {
  served = await serveStick(await ZWaveStick.create());
});
after(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

/** The library's controller of a stick that cannot be asked any more. Counts how often it changes its mind. */
async function withoutStick(): Promise<{
  readonly controller: Listening;
  readonly changes: () => number;
}> {
  const driver = new Driver(served.path, { storage: { cacheDir: folder }, logConfig: { enabled: false } });
  const ready = new Promise<void>((resolve, reject) => {
    driver.once("driver ready", resolve).once("error", reject);
  });
  await driver.start();
  await ready;
  const { controller } = driver;
  await driver.destroy();
  let changes = 0;
  controller.on("inclusion state changed", () => {
    changes += 1;
    // Else it would not let the test go on.
    if (changes > 50) Reflect.set(controller, "_smartStartEnabled", false);
  });
  return { controller: controller as unknown as Listening, changes: () => changes };
}

test("the library alone asks for ever", async () => {
  const { controller, changes } = await withoutStick();
  await assert.rejects(controller.enableSmartStart());
  await setImmediate();
  assert.ok(changes() > 50);
});

test("a stick that cannot be asked is asked once, and again when somebody wants it to listen", async () => {
  guardListening(ZWaveController);
  guardListening(ZWaveController);
  const { controller, changes } = await withoutStick();
  for (const expected of [2, 4]) {
    await assert.rejects(controller.enableSmartStart(), /not ready/);
    await setImmediate();
    assert.equal(changes(), expected);
  }
});
