import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { devices, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import { secondsSince } from "../seconds-since.ts";
import { answered, choose, Client, codeOf, pair, plug } from "./client.ts";
import { partitionNamed } from "./cut-disk.ts";
import { type FlashSession, shownOf } from "./flash-page.ts";
import { type ImageFiles, startMebibytes } from "./image.ts";
import { mebibyte, readAt } from "./partition-table.ts";
import { VirtualMachine } from "./qemu.ts";

interface ImageResult {
  /** Seconds of this machine that each part took. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Seconds of the emulated machine from power on until the hub answered; it does 250 million instructions in one. */
  readonly emulated: { readonly first: number; readonly second: number };
  readonly session: FlashSession;
}

/** The most that a first boot may take (s, of the emulated machine). */
const bootSeconds = 60;
/** How much larger a card is than its image (MiB). */
const roomMebibytes = 512;

/**
 * Boots a new image on a larger card, claims its hub, pairs a lamp through an emulated USB stick, turns it on, takes
 * the power away, boots again, and finds all as it was.
 * @param files the image; its disk is written to
 * @param folder for the consoles' output
 */
export async function tryImage(files: ImageFiles, folder: string): Promise<ImageResult> {
  const seconds: Record<string, number> = {};
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    seconds[name] = secondsSince(from);
    return result;
  };
  const air = new SimulatedAir();
  const lamp = devices.lamp("0x000b57fffe000001");
  air.add(lamp);
  const stick = new Stick({ air });
  const start = startOf(files.disk);
  const { length: imageBytes } = partitionNamed(files.disk, "data");
  truncateSync(files.disk, statSync(files.disk).size + roomMebibytes * mebibyte);
  let machine = await VirtualMachine.start(files, join(folder, "first.console"));
  try {
    const first = await timed("first boot", () => answered(machine));
    assert.ok(first < bootSeconds, `the first boot took ${first} s`);
    const [, blocks] = /resizing filesystem from \d+ to (\d+) blocks/.exec(machine.said) ?? [];
    assert.ok(
      Number(blocks) * 4096 >= imageBytes + (roomMebibytes - 1) * mebibyte,
      `/var has ${blocks} blocks`,
    );
    const client = new Client(machine.apiPort);
    const hub = await client.public("/hub");
    await timed("claim", async () => await client.claim(await codeOf(machine)));
    const console = shownOf(machine.said);
    await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);
    await plug(machine, stick);
    await timed("stick", () => choose(machine, client));
    const id = await timed("lamp joined", async () => await pair(machine, client, () => air.join(lamp.ieee)));
    await client.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
    await machine.until("the lamp is on", async () => lamp.isOn || undefined);
    await isOn(machine, client, id);
    // Every process of the hub may do in the unit what it has to.
    assert.doesNotMatch(machine.said, /"level":[56]0/);
    await machine.cutPower();

    machine = await VirtualMachine.start(files, join(folder, "second.console"));
    const second = await timed("second boot", () => answered(machine));
    const again = client.at(machine.apiPort);
    await plug(machine, stick);
    await isOn(machine, again, id);
    assert.deepEqual(await again.rooms(), ["Cellar"]);
    assert.equal(startOf(files.disk), start, "nothing has written to the partition with U-Boot");
    const rooms = JSON.stringify(await again.call("GET", "/rooms"), null, 2);
    const emulated = { first, second };
    return { seconds, emulated, session: { console, hub: JSON.stringify(hub, null, 2), rooms } };
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
