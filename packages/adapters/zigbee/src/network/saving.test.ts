import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { controllerOf } from "../test-controller.ts";
import { DeviceEntries } from "./device-entries.ts";
import { Kept } from "./kept-network.ts";
import { LibraryFiles } from "./library-files.ts";
import { Saving } from "./saving.ts";
import { keptNetwork as network } from "./test-kept.ts";

/** A stick whose backups a test lets end, and the store that outlives it. */
class Bench {
  readonly clock = new SimulatedClock();
  readonly stored = new Map<string, unknown>([["network", network]]);
  readonly kept: Kept;
  /** Ends each running backup of the stick. */
  readonly running: (() => void)[] = [];
  backups = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), "ledge-saving-"));
  readonly #files = new LibraryFiles(this.#folder);

  constructor(t: TestContext) {
    t.after(() => rmSync(this.#folder, { recursive: true }));
    this.kept = new Kept(this.#store);
  }

  get #store() {
    return {
      get: (key: string) => this.stored.get(key),
      put: async (key: string, value: unknown) => void this.stored.set(key, value),
    };
  }

  /** Opens the stick. */
  open(): Saving {
    const files = this.#files;
    const controller = controllerOf({
      on: () => controller,
      backup: async () => {
        await new Promise<void>((resolve) => this.running.push(resolve));
        this.backups += 1;
        this.write();
      },
    });
    const host = {
      settings: {},
      folder: this.#folder,
      clock: this.clock,
      store: this.#store,
      log: () => {},
      announce: () => {},
      found: () => {},
      lost: () => {},
      trouble: () => {},
      report: () => {},
    };
    return new Saving({
      host,
      kept: this.kept,
      entries: new DeviceEntries(this.#store),
      files,
      stick: "zstack",
      controller,
    });
  }

  /** Writes a backup file, as the library does. */
  write(networkKey = network.networkKey): void {
    const text = { extended_pan_id: network.extendedPanId, network_key: { key: networkKey } };
    writeFileSync(this.#files.backup, JSON.stringify(text));
  }

  async backUpStored(): Promise<void> {
    const { backups } = this;
    await until("a backup", () => this.running.length > 0);
    for (const end of this.running.splice(0)) end();
    await until("its end", () => this.backups > backups && this.kept.backup?.at === this.clock.now());
  }
}

test("a join or leave does not wait for a backup, which follows within a minute", async (t) => {
  const bench = new Bench(t);
  const saving = bench.open();
  void saving.backUpAnew(false);
  await bench.backUpStored();
  for (let leaves = 0; leaves < 5; leaves += 1) await saving.membersChanged();
  assert.deepEqual([bench.running.length, bench.kept.isBackupDue], [0, true]);
  await bench.clock.pass(30_000);
  await saving.membersChanged();
  await bench.backUpStored();
  assert.ok(bench.kept.isBackupDue, "of the change during the backup");
  await bench.clock.pass(30_000);
  await bench.backUpStored();
  assert.deepEqual([bench.backups, bench.kept.isBackupDue], [3, false]);
});

test("a backup that is due when the process is killed is made by the next one", async (t) => {
  const bench = new Bench(t);
  const saving = bench.open();
  void saving.backUpAnew(false);
  await bench.backUpStored();
  await saving.membersChanged();
  await saving.end(false);
  bench.open();
  await bench.clock.pass(30_000);
  await bench.backUpStored();
  assert.equal(bench.kept.isBackupDue, false);
});

test("the backup that the library has made of a new network is kept without another one", async (t) => {
  const bench = new Bench(t);
  const saving = bench.open();
  bench.write();
  await saving.backUpAnew(true);
  assert.deepEqual([bench.backups, bench.kept.backup?.at], [0, bench.clock.now()]);
});

for (const [title, prepare] of [
  ["without one", () => {}],
  ["with one of another network", (bench: Bench) => bench.write("ff".repeat(16))],
] as const)
  test(`a new network is backed up ${title} of the library`, async (t) => {
    const bench = new Bench(t);
    const saving = bench.open();
    prepare(bench);
    const made = saving.backUpAnew(true);
    await bench.backUpStored();
    await made;
    assert.equal(bench.backups, 1);
  });

test("a backup of a network on another stick is made anew, whatever file there is", async (t) => {
  const bench = new Bench(t);
  const saving = bench.open();
  bench.write();
  const made = saving.backUpAnew(false);
  await bench.backUpStored();
  await made;
  assert.equal(bench.backups, 1);
});
