import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import { ConfigManager, embeddedDevicesDir } from "@zwave-js/config";
import { fs } from "@zwave-js/core/bindings/fs/node";
import { shareDatabase } from "./device-database.ts";

test("loads the device database once for all drivers, and again after a failure", async () => {
  let loads = 0;
  let fails = true;
  class Manager {
    _manufacturers: unknown;
    index: unknown;
    async loadAll(): Promise<void> {
      loads += 1;
      if (fails) throw new Error("no disk");
      this._manufacturers = new Map([[0x86, "Aeotec"]]);
      this.index = [{ manufacturerId: "0x0086" }];
    }
  }
  const library = Manager as unknown as typeof ConfigManager;
  shareDatabase(library, embeddedDevicesDir, fs);
  assert.equal(loads, 1, "it begins before a driver asks");
  const [first, second, third] = [new Manager(), new Manager(), new Manager()];
  await assert.rejects(first.loadAll(), /no disk/);
  fails = false;
  await until("another try", async () => await first.loadAll().then(() => true));
  await Promise.all([second.loadAll(), third.loadAll()]);
  shareDatabase(library, embeddedDevicesDir, fs);
  assert.equal(loads, 2);
  assert.equal(third.index, first.index);
  assert.ok(second.index);
  assert.equal(second._manufacturers, first._manufacturers);
});

test("reads the index of the database, and looks at none of its files", async () => {
  // The library makes the index when there is none yet.
  await new ConfigManager().loadAll();
  let looked = 0;
  const files = {
    ...fs,
    readDir: (path: string) => ((looked += 1), fs.readDir(path)),
    stat: (path: string) => ((looked += 1), fs.stat(path)),
  };
  class Manager extends ConfigManager {}
  shareDatabase(Manager, embeddedDevicesDir, files);
  const manager = new Manager();
  await manager.loadAll();
  const index = manager.getIndex() ?? [];
  assert.ok(index.length > 3000);
  const dimmer = index.find(
    ({ manufacturerId, productId }) => manufacturerId === "0x0086" && productId === "0x0063",
  );
  assert.match(String(dimmer?.filename), /0x0086\/\w+\.json$/);
  // The library looks whether there is a list of makers.
  assert.ok(looked <= 1, `looked ${looked} times`);
});

test("leaves an index that is no JSON to the library", async () => {
  const files = {
    ...fs,
    readFile: async (path: string) =>
      path.endsWith("/devices/index.json")
        ? Buffer.from("[{ manufacturerId: '0x0086', }]")
        : await fs.readFile(path),
  };
  class Manager extends ConfigManager {}
  shareDatabase(Manager, embeddedDevicesDir, files);
  const manager = new Manager();
  await manager.loadAll();
  assert.deepEqual(manager.getIndex(), [{ manufacturerId: "0x0086" }]);
});

test("lets the library make an index that is missing", async () => {
  const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });
  const isIndex = (path: string): boolean => path.endsWith("/devices/index.json");
  let written = "";
  const files = {
    ...fs,
    // The files of one maker are enough.
    readDir: async (path: string) =>
      (await fs.readDir(path)).filter((name) => !path.endsWith("/devices") || name === "0x0086"),
    stat: async (path: string) => (isIndex(path) ? Promise.reject(missing) : await fs.stat(path)),
    readFile: async (path: string) => (isIndex(path) ? Promise.reject(missing) : await fs.readFile(path)),
    writeFile: async (path: string, bytes: Uint8Array) => {
      assert.ok(isIndex(path), path);
      written = Buffer.from(bytes).toString("utf8");
    },
  };
  class Manager extends ConfigManager {}
  shareDatabase(Manager, embeddedDevicesDir, files);
  const manager = new Manager();
  await manager.loadAll();
  assert.ok((manager.getIndex()?.length ?? 0) > 100);
  assert.match(written, /0x0086\/zw100/);
});
