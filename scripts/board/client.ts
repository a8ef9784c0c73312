import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import type { Stick } from "@ledge/testkit/zigbee";
import { patience, type VirtualMachine } from "./qemu.ts";

interface PortedStick {
  readonly port: string;
}

interface Find {
  readonly id: string;
  readonly pairingStatus: string;
}

/** A hub on this machine's loopback, as a client calls it. */
export class Client {
  readonly #port: number;
  #key: string;

  constructor(port: number, key = "") {
    this.#port = port;
    this.#key = key;
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/cc/1.14${path}`, {
      method,
      signal: AbortSignal.timeout(patience * 1000),
      headers: { authorization: this.#key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Asks for what everybody may know. */
  async public(path: string): Promise<unknown> {
    return await (await fetch(`http://127.0.0.1:${this.#port}${path}`)).json();
  }

  /** Claims the hub by its setup code. */
  async claim(code: string): Promise<void> {
    const claim = { code, nickname: "Ann", name: "Laptop" };
    ({ key: this.#key } = await this.call<{ key: string }>("POST", "/hub/setup", claim));
  }

  /** The same client of the same hub, which a later start has put at another port. */
  at(port: number): Client {
    return new Client(port, this.#key);
  }

  /** What the client identifies itself by, once it has claimed the hub. */
  get key(): string {
    return this.#key;
  }

  async rooms(): Promise<string[]> {
    const rooms = await this.call<Record<string, { name: string }>>("GET", "/rooms");
    return Object.values(rooms).map(({ name }) => name);
  }
}

const setupCode = /setup code +([A-Z]{7})\b/;

/** The setup code on a machine's console. */
export async function codeOf(machine: VirtualMachine): Promise<string> {
  // The hub answers a moment before it prints.
  return await machine.until("the setup code", async () => setupCode.exec(machine.said)?.[1]);
}

/** Claims a new hub by what its process prints. */
export async function claimed(hub: ChildProcess): Promise<Client> {
  let printed = "";
  for await (const chunk of (hub.stdout as Readable).iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const [, port] = /API +http:\S+:(\d+)\n/.exec(printed) ?? [];
    const [, code] = setupCode.exec(printed) ?? [];
    if (port === undefined || code === undefined) continue;
    const client = new Client(Number(port));
    await client.claim(code);
    return client;
  }
  throw new Error(`the hub ended: ${printed}`);
}

/**
 * Waits until the hub answers.
 * @returns how long the emulated machine has been on then (s), by its own clock
 */
export async function answered(machine: VirtualMachine): Promise<number> {
  return await machine.until("the hub answers", async () => {
    const response = await fetch(`http://127.0.0.1:${machine.apiPort}/hub`, {
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok) return undefined;
    return (Date.parse(response.headers.get("date") ?? "") - machine.began) / 1000;
  });
}

/** Plugs the stick into the machine's USB port. */
export async function plug(machine: VirtualMachine, stick: Stick): Promise<void> {
  const socket = connect(machine.radioPort, "127.0.0.1");
  await once(socket, "connect");
  const line = stick.connect((bytes) => void socket.write(bytes));
  socket.on("data", (chunk) => line.receive(chunk));
  // The machine's end of the cable is gone with its power.
  socket.on("error", () => {});
  socket.on("close", () => line.close());
}

/** Waits until the machine lists the stick's port, and lets the hub use it. */
export async function choose(machine: VirtualMachine, client: Client): Promise<void> {
  const port = await machine.until("the port of the stick", async () => {
    // QEMU's adapter names itself after the chip of FTDI that it emulates.
    const listed = await client.call<readonly PortedStick[]>("GET", "/hub/sticks");
    return listed.find((one) => /FTDI|QEMU|ttyUSB/.test(one.port))?.port;
  });
  await client.call("POST", "/hub/stick", { port, protocol: "zigbee", driver: "zstack" });
  await machine.until("the network", async () => {
    const { connected } = await client.call<{ connected: boolean }>("GET", "/hub/zigbeestatus");
    return connected || undefined;
  });
}

/**
 * Scans until a device that joins is found, and keeps it.
 * @param joins has the device ask the network; false while that takes nobody
 * @returns its id
 */
export async function pair(machine: VirtualMachine, client: Client, joins: () => boolean): Promise<string> {
  let hasJoined = false;
  const { id } = await machine.until("the lamp is found", async () => {
    const { devices: found } = await client.call<{ devices: Find[] }>("GET", "/hub/scan");
    hasJoined ||= joins();
    return found.find(({ pairingStatus }) => pairingStatus === "COMPLETE");
  });
  await client.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
  await client.call("GET", "/hub/stopscan");
  return id;
}
