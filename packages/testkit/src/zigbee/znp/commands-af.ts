import type { Ieee } from "../air.ts";
import { ieeeOf, wire, type ByteReader, type ByteWriter } from "../bytes.ts";
import type { Command, Commands, StickParts } from "./commands.ts";
import type { Confirm, Transmission } from "../network.ts";
import { broadcast } from "../zdo.ts";
import { addressMode, interPan, status, subsystem } from "./znp.ts";

const dataConfirm = 0x80;

/** Profile of touchlink's frames. */
const lightLink = 0xc05e;

const answer = (code: number): ByteWriter => wire().u8(code);

/** dataRequest: sends to one 16-bit address. */
const dataRequest: Command = (stick, request) => {
  const nwk = request.u16();
  const head = readHead(request);
  const payload = request.bytes(request.u8());
  return send(stick, head, payload, addressMode.short, nwk);
};

/** dataRequestExt: also sends to groups and broadcast addresses. */
const dataRequestExt: Command = (stick, request) => {
  const mode = request.u8();
  const address = request.bytes(8);
  const endpoint = request.u8();
  const isInterPan = request.u16() === interPan.panId && endpoint === interPan.endpoint;
  const head = readHead(request, endpoint);
  const payload = request.bytes(request.u16());
  if (isInterPan)
    return sendInterPan(stick, head, payload, mode === addressMode.ieee ? ieeeOf(address) : null);
  return send(stick, head, payload, mode, Buffer.from(address).readUInt16LE(0));
};

/** AF: endpoints and application frames. */
export const afCommands: Commands = {
  /** register */
  0x00: ({ radio }, request) => {
    const id = request.u8();
    const [profile, device] = [request.u16(), request.u16()];
    // Skip version and latency.
    request.u16();
    const [input, output] = [readList(request), readList(request)];
    if (radio.endpoints.some((other) => other.id === id)) return answer(status.failure);
    radio.endpoints.push({ id, profile, device, input, output });
    return answer(status.success);
  },
  0x01: dataRequest,
  0x02: dataRequestExt,
  /** delete */
  0x04: ({ radio }, request) => {
    const id = request.u8();
    const index = radio.endpoints.findIndex((other) => other.id === id);
    if (index === -1) return answer(status.failure);
    radio.endpoints.splice(index, 1);
    return answer(status.success);
  },
  /** interPanCtl: 0 back to the network, 1 to a channel, 2 which endpoint gets the frames, 3 whether it does. */
  0x10: ({ radio }, request) => {
    const operation = request.u8();
    if (operation === 0) radio.tune(null);
    else if (operation === 1) radio.tune(request.u8());
    else if (operation === 2) radio.interPanEndpoint = request.u8();
    else return answer(radio.interPanEndpoint === null ? status.failure : status.success);
    return answer(status.success);
  },
};

interface Head {
  readonly endpoint: number;
  readonly sourceEndpoint: number;
  readonly cluster: number;
  readonly transaction: number;
}

function readHead(request: ByteReader, endpoint: number = request.u8()): Head {
  const sourceEndpoint = request.u8();
  const cluster = request.u16();
  const transaction = request.u8();
  // Skip options and radius.
  request.u16();
  return { endpoint, sourceEndpoint, cluster, transaction };
}

function sendInterPan(stick: StickParts, head: Head, payload: Uint8Array, to: Ieee | null): ByteWriter {
  const { radio } = stick;
  if (!radio.network || radio.interPanEndpoint !== head.sourceEndpoint)
    return answer(status.invalidParameter);
  radio.sendInterPan(to, { profile: lightLink, cluster: head.cluster, payload }, confirmTo(stick, head));
  return answer(status.success);
}

function confirmTo(stick: StickParts, { sourceEndpoint, transaction }: Head): Confirm {
  return (code) =>
    stick.indicate(subsystem.af, dataConfirm, Uint8Array.of(code, sourceEndpoint, transaction));
}

function send(stick: StickParts, head: Head, payload: Uint8Array, mode: number, address: number): ByteWriter {
  const { radio } = stick;
  const { endpoint, sourceEndpoint, cluster } = head;
  const source = radio.endpoints.find(({ id }) => id === sourceEndpoint);
  if (!source || !radio.network) return answer(status.invalidParameter);
  const { profile } = source;
  const sent: Transmission = { endpoint, peerEndpoint: sourceEndpoint, profile, cluster, payload };
  const confirm = confirmTo(stick, head);
  const isGroup = mode === addressMode.group;
  const isBroadcast = !isGroup && address >= broadcast.lowest;
  const isTaken = isGroup
    ? radio.toGroup(address, sent, confirm)
    : isBroadcast
      ? radio.broadcast(address, sent, confirm)
      : radio.unicast(address, sent, confirm);
  return answer(isTaken ? status.success : status.bufferFull);
}

function readList(request: ByteReader): readonly number[] {
  return Array.from({ length: request.u8() }, () => request.u16());
}
