import type { EndpointDescriptor, Ieee } from "../air.ts";
import { ByteReader, fromHex, hexOf, ieeeOf, wire, type ByteWriter } from "../bytes.ts";
import type { StickImage } from "../coordinator-stick.ts";
import type { Network } from "../network.ts";
import { channelsOf } from "../zdo-server.ts";
import { parameter, protocolVersion } from "./protocol.ts";

/** Parameters of which there are several, by their first byte. */
const indexed: ReadonlySet<number> = new Set([parameter.endpoint, parameter.networkKey]);
/** Parameters that the host may not write. */
const readOnly: ReadonlySet<number> = new Set([parameter.protocolVersion, parameter.currentChannel]);
/** Parameters that the stick forgets without power. */
const volatile: ReadonlySet<number> = new Set([parameter.permitJoin, parameter.watchdogTtl]);
const [noKey, noExtendedPanId] = ["0".repeat(32), "0".repeat(16)] as const;

/** The length of each value. Endpoints have any length. */
const lengths: Readonly<Record<number, number>> = {
  [parameter.macAddress]: 8,
  [parameter.panId]: 2,
  [parameter.networkAddress]: 2,
  [parameter.extendedPanId]: 8,
  [parameter.designedCoordinator]: 1,
  [parameter.channelMask]: 4,
  [parameter.useExtendedPanId]: 8,
  [parameter.trustCenterAddress]: 8,
  [parameter.predefinedPanId]: 1,
  [parameter.networkKey]: 17,
  [parameter.linkKey]: 24,
  [parameter.currentChannel]: 1,
  [parameter.permitJoin]: 1,
  [parameter.protocolVersion]: 2,
  [parameter.networkUpdateId]: 1,
  [parameter.watchdogTtl]: 4,
  [parameter.frameCounter]: 4,
};

/** The parameters of a ConBee, most of which are its non-volatile memory. */
export class Parameters {
  readonly #values: Map<string, Uint8Array>;

  constructor(image: StickImage | undefined, factory: Ieee) {
    this.#values = new Map(Object.entries(image ?? {}).map(([key, hex]) => [key, fromHex(hex)]));
    if (image !== undefined) return;
    const set = (id: number, value: ByteWriter): void => this.#set(id, value.done());
    set(parameter.macAddress, wire().ieee(factory));
    set(parameter.trustCenterAddress, wire().ieee("0x0000000000000000"));
    set(parameter.panId, wire().u16(0));
    set(parameter.networkAddress, wire().u16(0));
    set(parameter.useExtendedPanId, wire().ieee(`0x${noExtendedPanId}`));
    set(parameter.designedCoordinator, wire().u8(1));
    set(parameter.channelMask, wire().u32(0x0210_8800));
    set(parameter.predefinedPanId, wire().u8(0));
    set(parameter.currentChannel, wire().u8(0));
    set(parameter.networkUpdateId, wire().u8(0));
    set(parameter.frameCounter, wire().u32(0));
    set(parameter.protocolVersion, wire().u16(protocolVersion));
    set(parameter.networkKey, wire().u8(0).bytes(fromHex(noKey)));
    // Endpoint 1 of the home automation profile, with no clusters.
    set(parameter.endpoint, wire().u8(0, 1).u16(0x0104, 5).u8(1, 0, 0));
  }

  save(): StickImage {
    const kept = [...this.#values].filter(([key]) => !volatile.has(Number(key.split("/")[0])));
    return Object.fromEntries(kept.map(([key, value]) => [key, hexOf(value)]));
  }

  /**
   * Returns a value as the host reads it.
   * @param argument the index of an indexed parameter
   */
  read(id: number, argument: Uint8Array): Uint8Array | undefined {
    if (id === parameter.extendedPanId) return this.#values.get(keyOf(parameter.useExtendedPanId));
    return this.#values.get(indexed.has(id) ? keyOf(id, argument[0]) : keyOf(id));
  }

  /**
   * Stores a value that the host writes.
   * @returns whether it is right
   */
  write(id: number, value: Uint8Array): boolean {
    const length = lengths[id];
    if (readOnly.has(id) || (id === parameter.endpoint ? !isEndpoint(value) : value.length !== length))
      return false;
    this.#set(id, value);
    return true;
  }

  get ieee(): Ieee {
    return ieeeOf(this.#values.get(keyOf(parameter.macAddress)) ?? new Uint8Array(8));
  }

  /** Returns the network that the parameters describe; null when they describe none. */
  network(): Network | null {
    const extended = this.#values.get(keyOf(parameter.useExtendedPanId));
    const key = this.#values.get(keyOf(parameter.networkKey, 0));
    const extendedPanId = hexOf((extended ?? new Uint8Array(8)).toReversed());
    const [channel] = channelsOf(this.#number(parameter.channelMask));
    if (!key || extendedPanId === noExtendedPanId || channel === undefined) return null;
    return { panId: this.#number(parameter.panId), extendedPanId, key: hexOf(key.slice(1)), channel };
  }

  get endpoints(): readonly EndpointDescriptor[] {
    const stored = [...this.#values].filter(([key]) => key.startsWith(`${parameter.endpoint}/`));
    return stored.map(([, value]) => endpointOf(value));
  }

  get frameCounter(): number {
    return this.#number(parameter.frameCounter);
  }

  set frameCounter(counter: number) {
    this.#set(parameter.frameCounter, wire().u32(counter).done());
  }

  set currentChannel(channel: number) {
    this.#set(parameter.currentChannel, Uint8Array.of(channel));
  }

  /** Stores the channel to which the network has moved. */
  moved(channel: number): void {
    this.currentChannel = channel;
    this.#set(
      parameter.channelMask,
      wire()
        .u32(1 << channel)
        .done(),
    );
  }

  #number(id: number): number {
    const value = this.#values.get(keyOf(id)) ?? new Uint8Array(4);
    return Buffer.from(value).readUIntLE(0, value.length);
  }

  #set(id: number, value: Uint8Array): void {
    this.#values.set(indexed.has(id) ? keyOf(id, value[0]) : keyOf(id), value);
  }
}

function keyOf(id: number, index?: number): string {
  return index === undefined ? `${id}` : `${id}/${index}`;
}

function isEndpoint(value: Uint8Array): boolean {
  try {
    endpointOf(value);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError for a value that is too short */
function endpointOf(value: Uint8Array): EndpointDescriptor {
  const reader = new ByteReader(value);
  // Skip the index.
  reader.u8();
  const id = reader.u8();
  const [profile, device] = [reader.u16(), reader.u16()];
  // Skip the version.
  reader.u8();
  const list = (): readonly number[] => Array.from({ length: reader.u8() }, () => reader.u16());
  return { id, profile, device, input: list(), output: list() };
}
