import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { plans } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "../test-rig.ts";

describe("new firmware for a stick", () => {
  let home: Rig;
  let plug = "";
  const file = "stick.gbl";
  const state = () => home.command("GET_ZWAVE_STICK_UPGRADE");
  async function untilStatus(wanted: string): Promise<Readonly<Record<string, unknown>>> {
    let now: Readonly<Record<string, unknown>> = {};
    await home.until(`the status ${wanted}`, () => {
      void state().then((told) => (now = told));
      return now["status"] === wanted;
    });
    return now;
  }
  const put = (image: Uint8Array): void => {
    mkdirSync(join(home.folder, "images"), { recursive: true });
    writeFileSync(join(home.folder, "images", file), image);
  };
  const ask = (fields: object = { file }) => home.command("ZWAVE_UPGRADE_STICK", fields);
  async function start(): Promise<void> {
    const { confirm, done, bytes } = await ask();
    assert.deepEqual([done, bytes], [false, 400]);
    assert.equal((await ask({ file, confirm }))["done"], true);
  }

  before(async () => {
    home = await startRig([], { hasMemory: true });
    plug = await home.pair(plans.wallPlug());
  });
  after(() => home.close());

  test("is refused without an image that can be read, and without the word", async () => {
    assert.equal((await state())["status"], "IDLE");
    assert.equal(await codeOf(ask({})), "settings");
    for (const wrong of ["none.gbl", "../../zwave-secrets"])
      assert.equal(await codeOf(ask({ file: wrong })), "refused");
    put(Buffer.from("no firmware"));
    await assert.rejects(ask(), /file: /);
    put(plans.firmwareImage("7.20"));
    assert.equal(await codeOf(ask({ file, confirm: "yes" })), "refused");
  });

  test("is uploaded to its bootloader, with the memory saved before, although blocks arrive damaged", async () => {
    const { at } = await home.command("GET_ZWAVE_BACKUP");
    home.stick.bootloader.damages = 2;
    await start();
    await home.untilReported(plug, "reachable", false);
    assert.equal(await codeOf(home.set(plug, { isOn: true })), "unreachable");
    const { version, reason } = await untilStatus("DONE");
    assert.deepEqual([version, reason], ["7.20", null]);
    assert.notEqual((await home.command("GET_ZWAVE_BACKUP"))["at"], at);
    await home.untilReported(plug, "reachable", true);
    await home.set(plug, { isOn: true });
    await home.untilReported(plug, "isOn", true);
  });

  test("fails when the bootloader refuses the image, and the stick goes on with what it has", async () => {
    writeFileSync(join(home.folder, "images", "other.bin"), Buffer.alloc(256, 1));
    const { confirm } = await ask({ file: "other.bin" });
    await ask({ file: "other.bin", confirm });
    const { reason } = await untilStatus("FAILED");
    assert.match(String(reason), /has refused the image/);
    await home.untilReported(plug, "reachable", true);
    assert.equal((await state())["version"], "7.20");
  });

  test("fails when the stick is pulled out meanwhile, and can be repeated", async () => {
    put(plans.firmwareImage("7.21"));
    const pulled = new Promise<void>((resolve) => {
      home.stick.bootloader.onBlock = (block) => {
        if (block === 2) resolve(home.served.unplug());
      };
    });
    await start();
    await pulled;
    home.stick.bootloader.onBlock = () => {};
    await home.served.plug();
    assert.match(String((await untilStatus("FAILED"))["reason"]), /broken off/);
    await home.untilReported(plug, "reachable", true);
    await start();
    assert.equal((await untilStatus("DONE"))["version"], "7.21");
  });

  test("fails when the hub is stopped meanwhile, and the stick leaves its bootloader", async () => {
    put(plans.firmwareImage("7.22"));
    const stopped = new Promise<void>((resolve) => {
      home.stick.bootloader.onBlock = (block) => {
        if (block !== 2) return;
        home.stick.bootloader.onBlock = () => {};
        resolve(home.restart());
      };
    });
    await start();
    await stopped;
    assert.match(String((await untilStatus("FAILED"))["reason"]), /broken off/);
    await home.untilReported(plug, "reachable", true);
    assert.equal((await state())["version"], "7.21");
  });
});
