import type { AirBinding, Ieee, NodeDescriptor } from "./air.ts";
import { ByteReader, unlessTooShort, wire, type ByteWriter } from "./bytes.ts";
import { zdo, zdoStatus } from "./zdo.ts";

export interface Neighbour {
  readonly ieee: Ieee;
  readonly nwk: number;
  /** 0 coordinator, 1 router, 2 end device. */
  readonly type: number;
  readonly isRxOnWhenIdle: boolean;
  /** 0 parent, 1 child, 2 sibling, 3 none of these. */
  readonly relation: number;
  readonly depth: number;
  readonly lqi: number;
}

/** A node as ZDO requests see it. */
export interface ZdoSubject {
  readonly ieee: Ieee;
  readonly nwk: number;
  /** 0 coordinator, 1 router, 2 end device. */
  readonly type: number;
  readonly descriptor: NodeDescriptor;
  readonly bindings: AirBinding[];
  /** In hex. */
  readonly extendedPanId: string;
  /** False when it has no room for another binding. */
  readonly hasRoom: boolean;
  neighbours(): readonly Neighbour[];
  /** Destination and next hop. */
  routes(): readonly { to: number; via: number }[];
  leave(rejoins: boolean): void;
  permit(seconds: number): void;
  energy(channel: number): number;
  changeChannel(channel: number): void;
  /** Returns the address of itself or of one of its children. */
  nwkOf(ieee: Ieee): number | undefined;
  ieeeOf(nwk: number): Ieee | undefined;
}

type Answer = (subject: ZdoSubject, request: ByteReader) => ByteWriter | null;

const answers: Readonly<Record<number, Answer>> = {
  [zdo.nwkAddress]: (subject, request) => address(subject, request.ieee()),
  [zdo.ieeeAddress]: (subject, request) => {
    const ieee = subject.ieeeOf(request.u16());
    return ieee === undefined ? null : address(subject, ieee);
  },
  [zdo.nodeDescriptor]: (subject) => {
    const { descriptor, type, nwk } = subject;
    const head = success().u16(nwk).u8(type, 0x40, macCapabilities(descriptor));
    // Buffer 82, transfers up to 255 bytes, stack revision 22.
    return head.u16(descriptor.manufacturerCode).u8(82).u16(255, 0x2c00, 255).u8(0);
  },
  [zdo.powerDescriptor]: ({ nwk, descriptor }) => {
    const source = descriptor.isMainsPowered ? 1 : 4;
    return success()
      .u16(nwk)
      .u8(source << 4, 0xc0 | source);
  },
  [zdo.simpleDescriptor]: (subject, request) => {
    request.u16();
    const id = request.u8();
    const endpoint = subject.descriptor.endpoints.find((other) => other.id === id);
    if (!endpoint) return wire().u8(zdoStatus.notActive).u16(subject.nwk).u8(0);
    const { profile, device, input, output } = endpoint;
    const simple = wire().u8(id).u16(profile, device).u8(1).list16(input).list16(output).done();
    return success().u16(subject.nwk).u8(simple.length).bytes(simple);
  },
  [zdo.activeEndpoints]: ({ nwk, descriptor }) => {
    const ids = descriptor.endpoints.map(({ id }) => id);
    return success()
      .u16(nwk)
      .u8(ids.length, ...ids);
  },
  [zdo.bind]: (subject, request) => {
    const binding = readBinding(request);
    const wanted = JSON.stringify(binding);
    const isThere = subject.bindings.some((other) => JSON.stringify(other) === wanted);
    if (!isThere && !subject.hasRoom) return wire().u8(zdoStatus.tableFull);
    if (!isThere) subject.bindings.push(binding);
    return success();
  },
  [zdo.unbind]: ({ bindings }, request) => {
    const wanted = JSON.stringify(readBinding(request));
    const index = bindings.findIndex((other) => JSON.stringify(other) === wanted);
    if (index === -1) return wire().u8(zdoStatus.noEntry);
    bindings.splice(index, 1);
    return success();
  },
  [zdo.neighbours]: (subject, request) =>
    page(subject.neighbours(), request.u8(), 3, (writer, neighbour) => {
      const { ieee, nwk, type, isRxOnWhenIdle, relation, depth, lqi } = neighbour;
      const epid = Buffer.from(subject.extendedPanId, "hex").toReversed();
      const kind = type | (isRxOnWhenIdle ? 4 : 0) | (relation << 4);
      writer.bytes(epid).ieee(ieee).u16(nwk).u8(kind, 2, depth, lqi);
    }),
  [zdo.routes]: (subject, request) =>
    page(subject.routes(), request.u8(), 10, (writer, { to, via }) => writer.u16(to).u8(0).u16(via)),
  [zdo.bindings]: ({ bindings, ieee }, request) =>
    page(bindings, request.u8(), 3, (writer, { endpoint, cluster, to }) => {
      writer.ieee(ieee).u8(endpoint).u16(cluster);
      if ("group" in to) writer.u8(1).u16(to.group);
      else writer.u8(3).ieee(to.ieee).u8(to.endpoint);
    }),
  [zdo.leave]: (subject, request) => {
    const ieee = request.ieee();
    const rejoins = (request.u8() & 0x80) !== 0;
    if (ieee !== subject.ieee && BigInt(ieee) !== 0n) return wire().u8(zdoStatus.deviceNotFound);
    subject.leave(rejoins);
    return success();
  },
  [zdo.permitJoining]: (subject, request) => {
    subject.permit(request.u8());
    return success();
  },
  [zdo.networkUpdate]: (subject, request) => {
    const mask = request.u32();
    const duration = request.u8();
    const channels = channelsOf(mask);
    if (duration === 0xfe) {
      const [channel] = channels;
      if (channel !== undefined) subject.changeChannel(channel);
      return null;
    }
    if (duration > 5) return wire().u8(zdoStatus.invalidRequest);
    const values = channels.map((channel) => subject.energy(channel));
    return success()
      .u32(mask)
      .u16(0, 0)
      .u8(values.length, ...values);
  },
};

/**
 * Returns a node's answer to a ZDO request, both without the sequence number.
 * @returns null for no answer
 */
export function answerZdo(subject: ZdoSubject, cluster: number, payload: Uint8Array): Uint8Array | null {
  const answer = answers[cluster];
  if (!answer) return wire().u8(zdoStatus.notSupported).done();
  const tooShort = wire().u8(zdoStatus.invalidRequest);
  return unlessTooShort(() => answer(subject, new ByteReader(payload)), tooShort)?.done() ?? null;
}

/** Capability information field of IEEE 802.15.4: router, mains, receiver on, allocate an address. */
export function macCapabilities(descriptor: NodeDescriptor): number {
  const { kind, isMainsPowered } = descriptor;
  return 0x80 | (kind === "router" ? 2 : 0) | (isMainsPowered ? 4 : 0) | (kind === "sleepy" ? 0 : 8);
}

export function channelsOf(mask: number): readonly number[] {
  return Array.from({ length: 16 }, (_, index) => 11 + index).filter((channel) => mask & (1 << channel));
}

function success(): ByteWriter {
  return wire().u8(zdoStatus.success);
}

function address(subject: ZdoSubject, ieee: Ieee): ByteWriter | null {
  const nwk = subject.nwkOf(ieee);
  return nwk === undefined ? null : success().ieee(ieee).u16(nwk).u8(0, 0);
}

function readBinding(request: ByteReader): AirBinding {
  request.ieee();
  const endpoint = request.u8();
  const cluster = request.u16();
  if (request.u8() === 1) return { endpoint, cluster, to: { group: request.u16() } };
  return { endpoint, cluster, to: { ieee: request.ieee(), endpoint: request.u8() } };
}

function page<T>(
  entries: readonly T[],
  start: number,
  size: number,
  write: (writer: ByteWriter, entry: T) => void,
): ByteWriter {
  const shown = entries.slice(start, start + size);
  const writer = success().u8(entries.length, start, shown.length);
  for (const entry of shown) write(writer, entry);
  return writer;
}
