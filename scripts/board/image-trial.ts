import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { devices, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import { answered, choose, Client, codeOf, pair, plug } from "./client.ts";
import { partitionNamed } from "./cut-disk.ts";
import { changes } from "./cut-load.ts";
import type { Recorded } from "./cuts-trial.ts";
import { type FlashSession, shownOf } from "./flash-page.ts";
import { type ImageFiles, startMebibytes } from "./image.ts";
import { mebibyte, readAt } from "./partition-table.ts";
import { VirtualMachine } from "./qemu.ts";
import { Stopwatch } from "./stopwatch.ts";
import { WriteLog } from "./write-log.ts";

interface ImageResult {
  /** Seconds of this machine that each part took. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Seconds of the emulated machine from power on until the hub answered; it does 250 million instructions in one. */
  readonly emulated: { readonly first: number; readonly second: number };
  readonly session: FlashSession;
  /** What the machine wrote until its power was cut. */
  readonly recorded: Recorded;
}

/** The most that a first boot may take (s, of the emulated machine). */
const bootSeconds = 60;
/** How much larger a card is than its image (MiB). */
const roomMebibytes = 512;
const room = "Cellar";

/**
 * Boots a new image on a larger card, claims its hub, pairs a lamp through an emulated USB stick, changes rooms and
 * switches the lamp for a while, leaves it on, takes the power away, boots again, and finds all as it was.
 * @param files the image; its disk is written to
 * @param folder for the consoles' output and the record of all that is written before the power goes
 * @param loadSeconds how long changes are made
 */
export async function tryImage(files: ImageFiles, folder: string, loadSeconds: number): Promise<ImageResult> {
  const watch = new Stopwatch();
  const air = new SimulatedAir();
  const lamp = devices.lamp("0x000b57fffe000001");
  air.add(lamp);
  const stick = new Stick({ air });
  const start = startOf(files.disk);
  const { length: imageBytes } = partitionNamed(files.disk, "data");
  truncateSync(files.disk, statSync(files.disk).size + roomMebibytes * mebibyte);
  const writes = join(folder, "writes");
  let machine = await VirtualMachine.start(files, join(folder, "first.console"), { writes });
  try {
    const first = await watch.timed("first boot", () => answered(machine));
    assert.ok(first < bootSeconds, `the first boot took ${first} s`);
    const [, blocks] = /resizing filesystem from \d+ to (\d+) blocks/.exec(machine.said) ?? [];
    assert.ok(
      Number(blocks) * 4096 >= imageBytes + (roomMebibytes - 1) * mebibyte,
      `/var has ${blocks} blocks`,
    );
    const client = new Client(machine.apiPort);
    const hub = await client.public("/hub");
    await watch.timed("claim", async () => await client.claim(await codeOf(machine)));
    const console = shownOf(machine.said);
    await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: room }]);
    await plug(machine, stick);
    await watch.timed("stick", () => choose(machine, client));
    const id = await watch.timed("lamp joined", () => pair(machine, client, () => air.join(lamp.ieee)));
    const record = new WriteLog(writes);
    const acknowledged = await watch.timed("load", () => changes(client, id, record, loadSeconds));
    record.close();
    await client.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
    await machine.until("the lamp is on", async () => lamp.isOn || undefined);
    await isOn(machine, client, id);
    const names = await client.rooms();
    assert.ok(names.includes(room));
    // Every process of the hub may do in the unit what it has to.
    assert.doesNotMatch(machine.said, /"level":[56]0/);
    await machine.cutPower();

    machine = await VirtualMachine.start(files, join(folder, "second.console"));
    const second = await watch.timed("second boot", () => answered(machine));
    const again = client.at(machine.apiPort);
    await plug(machine, stick);
    await watch.timed("lamp found again", () => isOn(machine, again, id));
    assert.deepEqual((await again.rooms()).toSorted(), names.toSorted());
    assert.equal(startOf(files.disk), start, "nothing has written to the partition with U-Boot");
    const rooms = await again.call<Record<string, { name: string }>>("GET", "/rooms");
    const cellar = Object.fromEntries(Object.entries(rooms).filter(([, { name }]) => name === room));
    return {
      seconds: watch.seconds,
      emulated: { first, second },
      session: { console, hub: JSON.stringify(hub, null, 2), rooms: JSON.stringify(cellar, null, 2) },
      // The first boot has made the partition larger.
      recorded: {
        path: writes,
        partition: partitionNamed(files.disk, "data"),
        home: "/lib/ledge",
        acknowledged,
      },
    };
  } finally {
    await machine.cutPower();
  }
}

/** The sum of the first partition, which begins at 1 MiB. */
function startOf(disk: string): string {
  const bytes = readAt(disk, mebibyte, startMebibytes * mebibyte);
  return createHash("sha256").update(bytes).digest("hex");
}

async function isOn(machine: VirtualMachine, client: Client, id: string): Promise<void> {
  await machine.until("the hub knows that the lamp is on", async () => {
    const all = await client.call<Record<string, { state: { isOn?: boolean } }>>("GET", "/devices");
    return all[id]?.state.isOn === true ? true : undefined;
  });
}
