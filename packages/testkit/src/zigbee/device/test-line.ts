import { SimulatedClock } from "../../simulated-clock.ts";
import type { AirBinding, AirFrame, AirLine, Ieee } from "../air.ts";
import type { ZclDevice } from "./device.ts";
import { ByteWriter } from "./zcl/bytes.ts";
import * as zcl from "./zcl/foundation.ts";
import type { Header } from "./zcl/frame.ts";
import { readFrame, writeFrame } from "./zcl/frame.ts";
import type { Typed, Value } from "./zcl/types.ts";

const coordinator: Ieee = "0x00124b0000000001";

/** A frame sent by a device. */
export interface Heard {
  readonly endpoint: number;
  readonly cluster: number;
  readonly group: number | null;
  readonly header: Header;
  readonly payload: Uint8Array;
}

export interface Sending extends Partial<Header> {
  readonly endpoint?: number;
  readonly group?: number;
  readonly isBroadcast?: boolean;
  readonly payload?: Uint8Array;
}

/** The smallest network: one device, a clock that stands still, and the frames that the device has sent. */
export class TestLine implements AirLine {
  readonly nwk = 0x1234;
  readonly bindings: AirBinding[] = [];
  readonly clock = new SimulatedClock();
  readonly #device: ZclDevice;
  readonly #heard: Heard[] = [];
  #transaction = 0;

  constructor(device: ZclDevice) {
    this.#device = device;
    device.joined(this);
  }

  now(): number {
    return this.clock.now();
  }

  after(ms: number, callback: () => void): () => void {
    return this.clock.after(ms, callback);
  }

  send(frame: Parameters<AirLine["send"]>[0]): void {
    this.#hear(frame, null);
  }

  sendToGroup(group: number, frame: Parameters<AirLine["sendToGroup"]>[1]): void {
    this.#hear(frame, group);
  }

  /** Returns the frames heard since the last call. */
  heard(): Heard[] {
    return this.#heard.splice(0);
  }

  /** Puts a frame back for the next call of `heard`. */
  put(heard: Heard): void {
    this.#heard.push(heard);
  }

  bind(cluster: number, endpoint = 1, group?: number): void {
    const to = group === undefined ? { ieee: coordinator, endpoint: 1 } : { group };
    this.bindings.push({ endpoint, cluster, to });
  }

  /** Sends a frame to the device, by default a cluster command. Returns its immediate answers. */
  tell(cluster: number, command: number, sending: Sending = {}): Heard[] {
    this.#transaction = (this.#transaction + 1) & 0xff;
    const { endpoint = 1, group = null, isBroadcast = false, payload = new Uint8Array(), ...rest } = sending;
    const header: Header = {
      isClusterSpecific: true,
      manufacturer: null,
      isFromServer: false,
      disablesDefaultResponse: false,
      transaction: this.#transaction,
      command,
      ...rest,
    };
    const frame: AirFrame = {
      endpoint,
      peerEndpoint: 1,
      profile: 0x0104,
      cluster,
      group,
      isBroadcast,
      payload: writeFrame(header, payload),
    };
    const before = this.#heard.length;
    this.#device.received(frame);
    return this.#heard.splice(before);
  }

  general(cluster: number, command: number, payload: Uint8Array, rest: Sending = {}): Heard[] {
    return this.tell(cluster, command, { ...rest, isClusterSpecific: false, payload });
  }

  /** Reads an attribute. Returns its value, or the status when it has none. */
  read(cluster: number, attribute: number, rest: Sending = {}): Value | { status: number } {
    const [answer] = this.general(cluster, zcl.foundation.read, zcl.writeIds([attribute]), rest);
    const record = answer && zcl.readReadRecords(answer.payload)[0];
    if (!record) throw new Error("no answer");
    return record.typed ? record.typed.value : { status: record.status };
  }

  write(cluster: number, attribute: number, typed: Typed, rest: Sending = {}): Heard[] {
    return this.general(cluster, zcl.foundation.write, zcl.writeValues([{ attribute, ...typed }]), rest);
  }

  /** Binds a cluster and configures one attribute. */
  report(cluster: number, attribute: number, reporting: zcl.Reporting, rest: Sending = {}): Heard[] {
    this.bind(cluster, rest.endpoint ?? 1);
    const payload = zcl.writeReportingRequests([{ attribute, isReceived: false, reporting }]);
    return this.general(cluster, zcl.foundation.configureReporting, payload, rest);
  }

  /** Returns the attributes reported since the last call, as `[cluster, attribute, value]`. */
  reports(): [number, number, Value][] {
    return this.heard()
      .filter(({ header }) => !header.isClusterSpecific && header.command === zcl.foundation.report)
      .flatMap(({ cluster, payload }) =>
        zcl
          .readValues(payload)
          .map(({ attribute, value }): [number, number, Value] => [cluster, attribute, value]),
      );
  }

  #hear(frame: { endpoint: number; cluster: number; payload: Uint8Array }, group: number | null): void {
    const { endpoint, cluster } = frame;
    const read = readFrame(frame.payload);
    if (!read) throw new Error("the device has sent something that is not a frame");
    this.#heard.push({ endpoint, cluster, group, ...read });
  }
}

/** Returns the octets of a payload, from numbers with their width in octets. */
export function octets(...numbers: readonly (readonly [value: number, width: number])[]): Uint8Array {
  const to = new ByteWriter();
  for (const [value, width] of numbers) to.uint(value, width);
  return to.done();
}
