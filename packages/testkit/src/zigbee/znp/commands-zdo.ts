import { wire, fromHex, type ByteReader, type ByteWriter } from "../bytes.ts";
import type { Command, Commands, StickParts } from "./commands.ts";
import { broadcast, zdo } from "../zdo.ts";
import { answerZdo } from "../zdo-server.ts";
import { addressMode, status } from "./znp.ts";

const answer = (code: number): ByteWriter => wire().u8(code);

/** A request whose payload after the address is that of the ZDO cluster. */
function forward(cluster: number): Command {
  return (stick, request) => ask(stick, request.u16(), cluster, request.rest());
}

/** A request for the address of a device, sent to everybody. */
function search(cluster: number): Command {
  return (stick, request) => ask(stick, broadcast.awake, cluster, request.rest());
}

/** mgmtPermitJoinReq: the short address 0xfffc stands for the stick alone. */
const permitJoining: Command = (stick, request) => {
  const mode = request.u8();
  const nwk = request.u16();
  const isForAll = mode === addressMode.broadcast;
  return ask(stick, !isForAll && nwk >= broadcast.lowest ? 0 : nwk, zdo.permitJoining, request.rest());
};

/** mgmtNwkUpdateReq: energy scan and channel change. */
const networkUpdate: Command = (stick, request) => {
  const nwk = request.u16();
  request.u8();
  return ask(stick, nwk, zdo.networkUpdate, request.rest());
};

/** ZDO: the network and its devices. */
export const zdoCommands: Commands = {
  0x00: search(zdo.nwkAddress),
  0x01: (stick, request) => {
    const payload = request.rest();
    return ask(stick, Buffer.from(payload).readUInt16LE(0), zdo.ieeeAddress, payload);
  },
  0x02: forward(zdo.nodeDescriptor),
  0x03: forward(zdo.powerDescriptor),
  0x04: forward(zdo.simpleDescriptor),
  0x05: forward(zdo.activeEndpoints),
  0x06: forward(zdo.matchDescriptors),
  0x21: forward(zdo.bind),
  0x22: forward(zdo.unbind),
  0x31: forward(zdo.neighbours),
  0x32: forward(zdo.routes),
  0x33: forward(zdo.bindings),
  0x34: forward(zdo.leave),
  0x36: permitJoining,
  0x37: networkUpdate,
  /** startupFromApp: 0 when the memory holds a network, 2 when it holds none. */
  0x40: ({ radio }) => {
    if (radio.network) return answer(status.success);
    return answer(radio.resume() ? status.success : 2);
  },
  /** extRouteDisc */
  0x45: () => answer(status.success),
  /** extRemoveGroup */
  0x47: ({ radio }, request) => {
    const wasThere = radio.groups.delete(groupKey(request));
    return answer(wasThere ? status.success : status.failure);
  },
  /** extRemoveAllGroup */
  0x48: ({ radio }, request) => {
    const prefix = `${request.u8()}/`;
    for (const key of radio.groups) if (key.startsWith(prefix)) radio.groups.delete(key);
    return answer(status.success);
  },
  /** extFindAllGroupsEndpoint */
  0x49: ({ radio }, request) => {
    const prefix = `${request.u8()}/`;
    const keys = [...radio.groups].filter((key) => key.startsWith(prefix));
    return wire().list16(keys.map((key) => Number(key.slice(prefix.length))));
  },
  /** extFindGroup: status, group and its name, even when there is no such group. */
  0x4a: ({ radio }, request) => {
    const endpoint = request.u8();
    const group = request.u16();
    const isThere = radio.groups.has(`${endpoint}/${group}`);
    return answer(isThere ? status.success : status.failure)
      .u16(group)
      .u8(0);
  },
  /** extAddGroup */
  0x4b: ({ radio }, request) => {
    radio.groups.add(groupKey(request));
    return answer(status.success);
  },
  /** extCountAllGroups */
  0x4c: ({ radio }) => wire().u8(radio.groups.size),
  /** extNwkInfo */
  0x50: ({ radio }) => {
    const { network, ieee } = radio;
    const extended = fromHex(network?.extendedPanId ?? "0000000000000000").toReversed();
    const head = wire()
      .u16(0)
      .u8(radio.state)
      .u16(network?.panId ?? 0xffff, 0);
    return head
      .bytes(extended)
      .ieee(ieee)
      .u8(network?.channel ?? 0);
  },
};

/** Sends a request to the stick itself, a device, or everybody. A broadcast goes to the stick too. */
function ask(stick: StickParts, nwk: number, cluster: number, request: Uint8Array): ByteWriter {
  const { radio } = stick;
  if (nwk !== 0 && !radio.askZdo(nwk, cluster, request)) return answer(status.bufferFull);
  if (nwk === 0 || nwk >= broadcast.lowest) {
    const own = answerZdo(radio.subject(), cluster, request);
    if (own && (nwk === 0 || cluster === zdo.nwkAddress)) radio.zdoAnswered(0, cluster, own);
  }
  return answer(status.success);
}

function groupKey(request: ByteReader): string {
  return `${request.u8()}/${request.u16()}`;
}
