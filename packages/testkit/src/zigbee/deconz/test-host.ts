import { SimulatedClock } from "../../simulated-clock.ts";
import { ByteReader, fromHex, wire, type ByteWriter } from "../bytes.ts";
import type { CoordinatorStickOptions } from "../coordinator-stick.ts";
import { SimulatedAir } from "../simulated-air.ts";
import type { Listener } from "../znp/test-host.ts";
import { encodeFrame, parseFrame, type DeconzFrame } from "./frame.ts";
import { addressMode, command, networkState, parameter } from "./protocol.ts";
import { encodeSlip, SlipReader } from "./slip.ts";
import { DeconzStick } from "./stick.ts";

/** A host that exchanges frames with a ConBee, with a clock that it can advance. */
export class RawHost {
  readonly stick: DeconzStick;
  /** Device states that the stick told without a request, oldest first. */
  readonly states: number[] = [];
  readonly #clock: SimulatedClock;
  readonly #reader = new SlipReader();
  readonly #line;
  #response: DeconzFrame | null = null;
  #sequence = 0;

  constructor(stick: DeconzStick, clock: SimulatedClock) {
    this.stick = stick;
    this.#clock = clock;
    this.#line = stick.connect((bytes) => this.#read(bytes));
  }

  /** Sends a request. Returns the immediate response, or null when there is none. */
  ask(id: number, payload: ByteWriter = wire()): DeconzFrame | null {
    this.#response = null;
    this.#sequence = (this.#sequence + 1) & 0xff;
    const frame = { command: id, sequence: this.#sequence, status: 0, payload: payload.done() };
    this.#line.receive(encodeSlip(encodeFrame(frame)));
    return this.#response;
  }

  /** Sends a request. Returns status and payload of its response. */
  answer(id: number, payload?: ByteWriter): { readonly status: number; readonly payload: ByteReader } {
    const response = this.ask(id, payload);
    if (response?.command !== id || response.sequence !== this.#sequence)
      throw new Error(`${id} was answered by ${JSON.stringify(response)}`);
    return { status: response.status, payload: new ByteReader(response.payload) };
  }

  get state(): number {
    return this.answer(command.deviceState, wire().u8(0, 0, 0)).payload.u8();
  }

  /** Reads a parameter. Returns its value. */
  read(id: number, ...argument: readonly number[]): Uint8Array {
    const { payload } = this.answer(
      command.readParameter,
      wire()
        .u16(1 + argument.length)
        .u8(id, ...argument),
    );
    const length = payload.u16();
    payload.u8();
    return payload.bytes(length - 1);
  }

  /** Writes a parameter. Returns the status. */
  write(id: number, value: ByteWriter): number {
    const bytes = value.done();
    return this.answer(
      command.writeParameter,
      wire()
        .u16(1 + bytes.length)
        .u8(id)
        .bytes(bytes),
    ).status;
  }

  /** Sets up a network on channel 15 and connects it, with a home automation endpoint 1. */
  form(): void {
    this.write(parameter.panId, wire().u16(0x1a63));
    this.write(parameter.useExtendedPanId, wire().ieee("0x0102030405060708"));
    this.write(parameter.channelMask, wire().u32(1 << 15));
    this.write(
      parameter.networkKey,
      wire()
        .u8(0)
        .bytes(fromHex("09".repeat(16))),
    );
    this.answer(command.changeNetworkState, wire().u8(networkState.connected));
    this.pass();
  }

  /**
   * Sends to endpoint 1 of an address.
   * @returns the status of the response
   */
  request(nwk: number, payload: readonly number[], id: number = 1): number {
    return this.send(wire().u8(id, 0, addressMode.short).u16(nwk).u8(1), 0x0104, 6, payload);
  }

  /**
   * Sends an APS data request.
   * @param head request id, flags and destination
   * @returns the status of the response
   */
  send(head: ByteWriter, profile: number, cluster: number, payload: readonly number[]): number {
    const source = profile === 0 ? 0 : 1;
    const data = head
      .u16(profile, cluster)
      .u8(source)
      .u16(payload.length)
      .u8(...payload, 0, 30)
      .done();
    return this.answer(command.apsRequest, wire().u16(data.length).bytes(data)).status;
  }

  /** Reads a confirm. Returns the request id and the status; undefined when none waits. */
  confirmed(): readonly [id: number, status: number] | undefined {
    const { status, payload } = this.answer(command.apsConfirm, wire().u16(0));
    if (status !== 0) return undefined;
    payload.bytes(3);
    const id = payload.u8();
    const rest = payload.rest();
    return [id, rest.at(-5) ?? 0xff];
  }

  /** Reads an indication; undefined when none waits. */
  indicated():
    | {
        readonly from: number;
        readonly cluster: number;
        readonly group: number | null;
        readonly payload: Uint8Array;
      }
    | undefined {
    const { status, payload } = this.answer(command.apsIndication, wire().u16(1).u8(1));
    if (status !== 0) return undefined;
    payload.bytes(3);
    const mode = payload.u8();
    const to = payload.u16();
    payload.bytes(2);
    const from = payload.u16();
    payload.bytes(3);
    const cluster = payload.u16();
    const group = mode === addressMode.group ? to : null;
    return { from, cluster, group, payload: payload.bytes(payload.u16()) };
  }

  pass(ms: number = 1): void {
    this.#clock.advance(ms);
  }

  #read(bytes: Uint8Array): void {
    for (const content of this.#reader.push(bytes)) {
      const frame = parseFrame(content);
      if (!frame) continue;
      if (frame.command === command.deviceStateChanged) this.states.push(frame.payload[0] ?? 0);
      else this.#response = frame;
    }
  }
}

export interface DeconzWorld {
  readonly clock: SimulatedClock;
  readonly air: SimulatedAir;
  readonly host: RawHost;
}

/** Creates a host with a stick in factory state. */
export function freshWorld(options: Omit<CoordinatorStickOptions, "air"> = {}): DeconzWorld {
  const clock = new SimulatedClock();
  const air = new SimulatedAir({ clock });
  return { clock, air, host: new RawHost(new DeconzStick({ air, ...options }), clock) };
}

/** Creates a host with a stick that has formed a network. */
export function formedWorld(): DeconzWorld {
  const world = freshWorld();
  world.host.form();
  world.host.states.length = 0;
  return world;
}

/** Creates a device that has joined. Returns its network address. */
export function joinedDevice({ air, host }: DeconzWorld, device: Listener): number {
  air.add(device);
  host.write(parameter.permitJoin, wire().u8(60));
  if (!air.join(device.ieee)) throw new Error(`${device.ieee} could not join`);
  host.pass();
  while (host.indicated()) continue;
  air.log.clear();
  return air.nwkOf(device.ieee) ?? 0;
}
