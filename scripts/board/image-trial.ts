import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { devices, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import type { ImageFiles } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";

/** An emulated machine is twenty times as slow as a board, and slower on a busy one. */
const bootSeconds = 900;

interface PortedStick {
  readonly port: string;
}

interface Find {
  readonly id: string;
  readonly pairingStatus: string;
}

/** A hub in a virtual machine, as a client calls it. */
class Client {
  readonly #machine: VirtualMachine;
  #key = "";

  constructor(machine: VirtualMachine) {
    this.#machine = machine;
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.#machine.apiPort}/cc/1.14${path}`, {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: { authorization: this.#key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Claims the hub by the setup code on its console, or goes on with the key of an earlier claim. */
  async claim(key?: string): Promise<string> {
    if (key === undefined) {
      const [, code = ""] = /setup code +([A-Z]{7})\b/.exec(this.#machine.said) ?? [];
      const claim = { code, nickname: "Ann", name: "Laptop" };
      ({ key: this.#key } = await this.call<{ key: string }>("POST", "/hub/setup", claim));
    } else this.#key = key;
    return this.#key;
  }
}

/**
 * Boots a new image, claims its hub, pairs a lamp through an emulated USB stick, turns it on, takes the power away,
 * boots again, and finds all as it was.
 * @param files the image; its disk is written to
 * @param folder for the consoles' output
 * @returns seconds of this machine that each part took
 */
export async function tryImage(files: ImageFiles, folder: string): Promise<Readonly<Record<string, number>>> {
  const seconds: Record<string, number> = {};
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    seconds[name] = Math.round((performance.now() - from) / 100) / 10;
    return result;
  };
  const air = new SimulatedAir();
  const lamp = devices.lamp("0x000b57fffe000001");
  air.add(lamp);
  const stick = new Stick({ air });
  let machine = await VirtualMachine.start(files, join(folder, "first.console"));
  try {
    await timed("first boot", () => answered(machine));
    const client = new Client(machine);
    const key = await timed("claim", () => client.claim());
    await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);
    await plug(machine, stick);
    await timed("stick", () => choose(machine, client));
    const id = await timed("lamp joined", async () => await pair(machine, client, () => air.join(lamp.ieee)));
    await client.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
    await machine.until("the lamp is on", 120, async () => lamp.isOn || undefined);
    await isOn(machine, client, id);
    await machine.cutPower();

    machine = await VirtualMachine.start(files, join(folder, "second.console"));
    await timed("second boot", () => answered(machine));
    const again = new Client(machine);
    await again.claim(key);
    await plug(machine, stick);
    await isOn(machine, again, id);
    const rooms = await again.call<Record<string, { name: string }>>("GET", "/rooms");
    assert.deepEqual(
      Object.values(rooms).map(({ name }) => name),
      ["Cellar"],
    );
    return seconds;
  } finally {
    await machine.cutPower();
  }
}

async function answered(machine: VirtualMachine): Promise<void> {
  await machine.until("the hub answers", bootSeconds, async () => {
    const response = await fetch(`http://127.0.0.1:${machine.apiPort}/hub`, {
      signal: AbortSignal.timeout(20_000),
    });
    return response.ok ? true : undefined;
  });
}

/** Plugs the stick into the machine's USB port. */
async function plug(machine: VirtualMachine, stick: Stick): Promise<void> {
  const socket = connect(machine.radioPort, "127.0.0.1");
  await once(socket, "connect");
  const line = stick.connect((bytes) => void socket.write(bytes));
  socket.on("data", (chunk) => line.receive(chunk));
  // The machine's end of the cable is gone with its power.
  socket.on("error", () => {});
  socket.on("close", () => line.close());
}

/** Waits until the machine lists the stick's port, and lets the hub use it. */
async function choose(machine: VirtualMachine, client: Client): Promise<void> {
  const port = await machine.until("the port of the stick", 120, async () => {
    // QEMU's adapter names itself after the chip of FTDI that it emulates.
    const listed = await client.call<readonly PortedStick[]>("GET", "/hub/sticks");
    return listed.find((one) => /FTDI|QEMU|ttyUSB/.test(one.port))?.port;
  });
  await client.call("POST", "/hub/stick", { port, protocol: "zigbee", driver: "zstack" });
  await machine.until("the network", 300, async () => {
    const { connected } = await client.call<{ connected: boolean }>("GET", "/hub/zigbeestatus");
    return connected || undefined;
  });
}

/** Scans until the device that joins is there. @returns its id */
async function pair(machine: VirtualMachine, client: Client, joins: () => void): Promise<string> {
  await client.call("GET", "/hub/scan");
  joins();
  const { id } = await machine.until("the lamp is found", 300, async () => {
    const { devices: found } = await client.call<{ devices: Find[] }>("GET", "/hub/scan?ts=0");
    return found.find(({ pairingStatus }) => pairingStatus === "COMPLETE");
  });
  await client.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
  await client.call("GET", "/hub/stopscan");
  return id;
}

async function isOn(machine: VirtualMachine, client: Client, id: string): Promise<void> {
  await machine.until("the hub knows that the lamp is on", 120, async () => {
    const all = await client.call<Record<string, { state: { isOn?: boolean } }>>("GET", "/devices");
    return all[id]?.state.isOn === true ? true : undefined;
  });
}
