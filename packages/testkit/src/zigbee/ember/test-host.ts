import { SimulatedClock } from "../../simulated-clock.ts";
import { ByteReader, wire, type ByteWriter } from "../bytes.ts";
import type { CoordinatorStickOptions } from "../coordinator-stick.ts";
import { SimulatedAir, type AirOptions } from "../simulated-air.ts";
import type { Listener } from "../znp/test-host.ts";
import { writeAps, type ApsFrame } from "./aps-frame.ts";
import { AshReader, encodeAsh, type AshFrame, type AshRead } from "./ash-frame.ts";
import { frameId, joinPolicy, policyId, protocolVersion } from "./ezsp.ts";
import { EmberStick } from "./stick.ts";

/** A callback of the stick. */
export interface Told {
  readonly id: number;
  readonly parameters: Uint8Array;
}

/** A host that exchanges ASH frames with a stick, one at a time, with a clock that it can advance. */
export class RawHost {
  readonly stick: EmberStick;
  /** Frames other than data, oldest first. */
  readonly control: AshRead[] = [];
  /** Callbacks, oldest first. */
  readonly told: Told[] = [];
  /** Whether it has room for callbacks. */
  isReady = true;
  /** Whether it acknowledges data. */
  acknowledges = true;
  readonly #clock: SimulatedClock;
  readonly #reader = new AshReader();
  readonly #line;
  #number = 0;
  #expected = 0;
  #response: Told | null = null;
  #sequence = 0;

  constructor(stick: EmberStick, clock: SimulatedClock) {
    this.stick = stick;
    this.#clock = clock;
    this.#line = stick.connect((bytes) => this.#read(bytes));
  }

  /** Resets the stick. */
  reset(): void {
    this.#number = 0;
    this.#expected = 0;
    this.write({ type: "reset" });
  }

  /** Resets the stick and agrees on the version. */
  start(): void {
    this.reset();
    this.answer(frameId.version, wire().u8(protocolVersion));
  }

  write(frame: AshFrame): void {
    this.#line.receive(encodeAsh(frame));
  }

  /** Sends bytes that need not be a frame. */
  writeBytes(bytes: Uint8Array): void {
    this.#line.receive(bytes);
  }

  /** Acknowledges what it has received. */
  acknowledge(isReady: boolean): void {
    this.isReady = isReady;
    this.write({ type: "ack", ack: this.#expected, isReady });
  }

  /** Sends an EZSP frame. */
  send(data: Uint8Array, isRepeated: boolean = false): void {
    const number = isRepeated ? (this.#number - 1) & 7 : this.#number;
    if (!isRepeated) this.#number = (number + 1) & 7;
    this.write({ type: "data", number, ack: this.#expected, isRepeated, data });
  }

  /** Sends a command. Returns the immediate response, or null when there is none. */
  ask(id: number, request: ByteWriter = wire(), isExtended: boolean = true): Told | null {
    this.#response = null;
    this.#sequence = (this.#sequence + 1) & 0xff;
    const head = wire().u8(this.#sequence, 0);
    if (isExtended) head.u8(1).u16(id);
    else head.u8(id);
    this.send(head.bytes(request.done()).done());
    return this.#response;
  }

  /** Sends a command. Returns the parameters of its response. */
  answer(id: number, request?: ByteWriter): ByteReader {
    const response = this.ask(id, request);
    if (response?.id !== id) throw new Error(`${id} was answered by ${JSON.stringify(response)}`);
    return new ByteReader(response.parameters);
  }

  /** Removes and returns the parameters of the received callbacks of a kind. */
  take(id: number): readonly ByteReader[] {
    const taken = this.told.filter((told) => told.id === id);
    this.told.splice(0, this.told.length, ...this.told.filter((told) => told.id !== id));
    return taken.map(({ parameters }) => new ByteReader(parameters));
  }

  pass(ms: number = 1): void {
    this.#clock.advance(ms);
  }

  /** Forms a network on channel 15, with a home automation endpoint 1. */
  form(): void {
    this.start();
    this.answer(frameId.addEndpoint, wire().u8(1).u16(0x0104, 5).u8(0, 0, 0));
    this.secure();
    this.answer(frameId.formNetwork, networkParameters());
    this.pass();
  }

  /** Sets the keys of the network to form. */
  secure(bitmask: number = 0): void {
    const keys = wire().u16(bitmask).bytes(new Uint8Array(16).fill(7)).bytes(new Uint8Array(16).fill(9));
    this.answer(frameId.setInitialSecurityState, keys.u8(0).ieee("0x0000000000000000"));
  }

  /** Lets devices join. */
  permit(seconds: number): void {
    this.answer(frameId.setPolicy, wire().u8(policyId.trustCenter, joinPolicy.allowJoins));
    this.answer(frameId.importTransientKey, wire().bytes(new Uint8Array(25)));
    this.answer(frameId.permitJoining, wire().u8(seconds));
  }

  /**
   * Sends to endpoint 1 of an address.
   * @returns the status of the response
   */
  unicast(nwk: number, payload: readonly number[], aps: Partial<ApsFrame> = {}): number {
    const request = writeAps(wire().u8(0).u16(nwk), { ...toEndpoint, ...aps }).u8(
      1,
      payload.length,
      ...payload,
    );
    return this.answer(frameId.sendUnicast, request).u8();
  }

  /** Returns the status of the last sent message; undefined before it is known. */
  sentStatus(): number | undefined {
    const [sent] = this.take(frameId.messageSentHandler);
    // Skip type, destination, head and tag.
    sent?.bytes(15);
    return sent?.u8();
  }

  #read(bytes: Uint8Array): void {
    for (const read of this.#reader.push(bytes)) {
      if (read.type === "data") this.#data(read);
      else this.control.push(read);
    }
  }

  #data({ number, data }: Extract<AshFrame, { type: "data" }>): void {
    if (!this.acknowledges) {
      this.control.push({ type: "data", number, ack: 0, isRepeated: true, data });
      return;
    }
    if (number !== this.#expected) return;
    this.#expected = (number + 1) & 7;
    const reader = new ByteReader(data);
    const [, low] = [reader.u8(), reader.u8()];
    const isExtended = ((data[2] ?? 0) & 3) === 1;
    if (isExtended) reader.u8();
    const id = isExtended ? reader.u16() : reader.u8();
    const told = { id, parameters: reader.rest() };
    if (low & 0x10) this.told.push(told);
    else this.#response = told;
    this.acknowledge(this.isReady);
  }
}

const toEndpoint: ApsFrame = {
  profile: 0x0104,
  cluster: 6,
  sourceEndpoint: 1,
  destinationEndpoint: 1,
  options: 0x0140,
  group: 0,
  sequence: 0,
};

/** EmberNetworkParameters of the network that tests form. */
export function networkParameters(channel: number = 15): ByteWriter {
  const extendedPanId = [8, 7, 6, 5, 4, 3, 2, 1];
  return wire().bytes(extendedPanId).u16(0x1a63).u8(8, channel, 0).u16(0).u8(0).u32(0x07ff_f800);
}

export interface EmberWorld {
  readonly clock: SimulatedClock;
  readonly air: SimulatedAir;
  readonly host: RawHost;
}

/** Creates a host with a stick in factory state. */
export function freshWorld(
  options: Omit<CoordinatorStickOptions, "air"> = {},
  airOptions: AirOptions = {},
): EmberWorld {
  const clock = new SimulatedClock();
  const air = new SimulatedAir({ ...airOptions, clock });
  return { clock, air, host: new RawHost(new EmberStick({ air, ...options }), clock) };
}

/** Creates a host with a stick that has formed a network. */
export function formedWorld(airOptions: AirOptions = {}): EmberWorld {
  const world = freshWorld({}, airOptions);
  world.host.form();
  world.host.told.length = 0;
  return world;
}

/** Creates a device that has joined. Returns its network address. */
export function joinedDevice(
  { air, host }: EmberWorld,
  device: Listener,
  options?: Parameters<SimulatedAir["add"]>[1],
): number {
  air.add(device, options);
  host.permit(60);
  if (!air.join(device.ieee)) throw new Error(`${device.ieee} could not join`);
  host.pass();
  host.told.length = 0;
  air.log.clear();
  return air.nwkOf(device.ieee) ?? 0;
}
