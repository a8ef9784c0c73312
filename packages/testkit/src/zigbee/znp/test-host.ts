import { SimulatedClock } from "../../simulated-clock.ts";
import type { AirDevice, AirFrame, AirLine, Ieee, NodeDescriptor } from "../air.ts";
import { ByteReader, ByteWriter, wire } from "../bytes.ts";
import { SimulatedAir, type AirOptions } from "../simulated-air.ts";
import { Stick, type StickOptions } from "./stick.ts";
import { encodeFrame, FrameReader, frameType, type UnpiFrame } from "./unpi.ts";
import { addressMode, subsystem } from "./znp.ts";

/** A host that exchanges frames with a stick, with a clock that it can advance. */
export class RawHost {
  readonly stick: Stick;
  /** Unsolicited messages of the stick, oldest first. */
  readonly told: UnpiFrame[] = [];
  readonly #clock: SimulatedClock;
  readonly #reader = new FrameReader();
  readonly #line;
  /** The response to the last request, if it has arrived. */
  response: UnpiFrame | null = null;

  constructor(stick: Stick, clock: SimulatedClock) {
    this.stick = stick;
    this.#clock = clock;
    this.#line = stick.connect((bytes) => this.read(bytes));
  }

  read(bytes: Uint8Array): void {
    for (const frame of this.#reader.push(bytes)) {
      if (frame.type === frameType.srsp) this.response = frame;
      else this.told.push(frame);
    }
  }

  /** Sends a request. Returns the immediate response, or null when there is none. */
  ask(system: number, id: number, request: ByteWriter = wire()): UnpiFrame | null {
    this.response = null;
    this.#line.receive(encodeFrame({ type: frameType.sreq, subsystem: system, id, data: request.done() }));
    return this.response;
  }

  /** Sends a request. Returns the payload of its response. */
  answer(system: number, id: number, request?: ByteWriter): Uint8Array {
    const response = this.ask(system, id, request);
    if (response?.subsystem !== system || response.id !== id) {
      throw new Error(`${system}/${id} was answered by ${JSON.stringify(response)}`);
    }
    return response.data;
  }

  /** Removes and returns the received payloads of a subsystem and id. */
  take(system: number, id: number): readonly Uint8Array[] {
    const isIt = (frame: UnpiFrame): boolean => frame.subsystem === system && frame.id === id;
    const taken = this.told.filter(isIt).map(({ data }) => data);
    this.told.splice(0, this.told.length, ...this.told.filter((frame) => !isIt(frame)));
    return taken;
  }

  pass(ms: number = 1): void {
    this.#clock.advance(ms);
  }

  close(): void {
    this.#line.close();
  }

  /** Sets up a network on channel 15 and forms it, with a home automation endpoint 1. */
  form(): void {
    this.answer(subsystem.sys, 0x07, wire().u16(0x83, 2).u8(2).u16(0x1a63));
    this.answer(
      subsystem.appConfig,
      0x08,
      wire()
        .u8(1)
        .u32(1 << 15),
    );
    this.answer(subsystem.appConfig, 0x05, wire().u8(4));
    this.register();
  }

  register(): void {
    this.answer(subsystem.af, 0x00, wire().u8(1).u16(0x0104, 5).u8(0, 0, 0, 0));
  }

  /** Lets devices join through all nodes for some seconds. */
  permit(seconds: number): void {
    const request = wire().u8(addressMode.broadcast).u16(0xfffc).u8(seconds, 1);
    this.answer(subsystem.zdo, 0x36, request);
  }

  /**
   * Sends to endpoint 1 of an address.
   * @returns the status of the response.
   */
  send(nwk: number, payload: readonly number[], transaction: number = 1): number | undefined {
    const head = wire().u16(nwk).u8(1, 1).u16(6).u8(transaction, 0, 30, payload.length);
    return this.answer(subsystem.af, 0x01, head.u8(...payload))[0];
  }

  /**
   * Sends to a group.
   * @returns the status of the response.
   */
  sendToGroup(group: number, payload: readonly number[]): number | undefined {
    const head = wire().u8(addressMode.group).u16(group, 0, 0, 0).u8(0xff).u16(0).u8(1).u16(6).u8(1, 0, 30);
    return this.answer(subsystem.af, 0x02, head.u16(payload.length).u8(...payload))[0];
  }

  /** Returns the status of the received dataConfirm, or undefined before it arrives. */
  confirmed(): number | undefined {
    const confirms = this.take(subsystem.af, 0x80);
    if (confirms.length > 1) throw new Error("confirmed more than once");
    return confirms[0]?.[0];
  }
}

/** A device that records what it hears. */
export class Listener implements AirDevice {
  readonly ieee: Ieee;
  readonly descriptor: NodeDescriptor;
  readonly groups = new Set<number>();
  readonly heard: AirFrame[] = [];
  line: AirLine | null = null;

  constructor(number: number, kind: NodeDescriptor["kind"] = "router") {
    this.ieee = `0x${(0x000b_57ff_0000_0000n + BigInt(number)).toString(16).padStart(16, "0")}`;
    const endpoint = { id: 1, profile: 0x0104, device: 0x0100, input: [0, 4, 6], output: [0x19] };
    this.descriptor = {
      kind,
      isMainsPowered: kind !== "sleepy",
      manufacturerCode: 0x1234,
      endpoints: [endpoint, { ...endpoint, id: 2, input: [0] }],
    };
  }

  joined(line: AirLine): void {
    this.line = line;
  }

  power(): void {}

  left(): void {
    this.line = null;
  }

  received(frame: AirFrame): void {
    this.heard.push(frame);
  }

  groupsOf(endpoint: number): ReadonlySet<number> {
    return endpoint === 1 ? this.groups : new Set();
  }

  /** Removes and returns what it has heard, as bytes. */
  take(): readonly (readonly number[])[] {
    return this.heard.splice(0).map(({ payload }) => [...payload]);
  }
}

/** More than all frames of a join take, on a timed air too, where broadcasts may be repeated twice. */
const settleMs = 2000;

export interface RawWorld {
  readonly clock: SimulatedClock;
  readonly air: SimulatedAir;
  readonly host: RawHost;
}

/** Creates a host with a stick that has formed a network. */
export function rawWorld(options: Omit<StickOptions, "air"> = {}, airOptions: AirOptions = {}): RawWorld {
  const clock = new SimulatedClock();
  const air = new SimulatedAir({ ...airOptions, clock });
  const host = new RawHost(new Stick({ air, ...options }), clock);
  host.form();
  return { clock, air, host };
}

/** Creates a device that has joined. Discards the messages about that. */
export function joinedDevice(
  { air, host }: RawWorld,
  device: Listener,
  options?: Parameters<SimulatedAir["add"]>[1],
): number {
  air.add(device, options);
  host.permit(60);
  host.pass(settleMs);
  if (!air.join(device.ieee)) throw new Error(`${device.ieee} could not join`);
  host.pass(settleMs);
  host.permit(0);
  host.pass(settleMs);
  host.told.length = 0;
  air.log.clear();
  return air.nwkOf(device.ieee) ?? 0;
}

export function reading(bytes: Uint8Array | undefined): ByteReader {
  return new ByteReader(bytes ?? new Uint8Array());
}
