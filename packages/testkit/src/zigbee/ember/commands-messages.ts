import type { AirFrame } from "../air.ts";
import { wire, type ByteReader, type ByteWriter } from "../bytes.ts";
import { status as frameStatus } from "../frame-status.ts";
import type { Transmission } from "../network.ts";
import { zdo } from "../zdo.ts";
import { answerZdo } from "../zdo-server.ts";
import { readAps, type ApsFrame } from "./aps-frame.ts";
import { answer, type Command, type Commands, type EmberParts } from "./commands.ts";
import { parseInterPan } from "./inter-pan-frame.ts";
import { configId, counter, emberStatus, frameId, incoming, maxPayload, outgoing } from "./ezsp.ts";

/** A message of the host with the tag by which it recognises the result. */
interface Message {
  readonly aps: ApsFrame;
  readonly tag: number;
  readonly payload: Uint8Array;
}

const sendUnicast: Command = (stick, request) => {
  const { radio } = stick;
  const type = request.u8();
  const nwk = request.u16();
  const message = readMessage(readAps(request), request);
  const refused = refusalOf(stick, message);
  if (refused !== null) return refused;
  if (type !== outgoing.direct) return sent(emberStatus.badArgument, 0);
  if (radio.inFlight >= (radio.configuration.get(configId.apsUnicastMessageCount) ?? 0))
    return sent(emberStatus.maxMessageLimitReached, 0);
  const aps = numbered(stick, message.aps);
  stick.afterwards(() => {
    if (nwk === 0) toSelf(stick, aps, message);
    else toDevice(stick, nwk, aps, message);
  });
  return sent(emberStatus.success, aps.sequence);
};

function toDevice({ radio }: EmberParts, nwk: number, aps: ApsFrame, message: Message): void {
  radio.inFlight += 1;
  radio.unicast(nwk, transmissionOf(aps, message), (code) => {
    radio.inFlight -= 1;
    radio.count(code === frameStatus.success ? counter.apsTxUnicastSuccess : counter.apsTxUnicastFailed);
    radio.messageSent(outgoing.direct, nwk, aps, message.tag, code);
  });
}

/**
 * Carries out a message to the stick itself. The stack answers ZDO requests, but not for an energy scan: that
 * one comes back to the host, like all other messages.
 */
function toSelf({ radio }: EmberParts, aps: ApsFrame, message: Message): void {
  radio.messageSent(outgoing.direct, 0, aps, message.tag, frameStatus.success);
  const { cluster, profile, sourceEndpoint, destinationEndpoint } = aps;
  const { payload } = message;
  const isZdo = profile === 0 && destinationEndpoint === 0;
  const own =
    isZdo && cluster !== zdo.networkUpdate ? answerZdo(radio.subject(), cluster, payload.slice(1)) : null;
  const back = {
    endpoint: destinationEndpoint,
    peerEndpoint: sourceEndpoint,
    profile,
    group: null,
    isBroadcast: false,
  };
  if (own) {
    const answered = Uint8Array.from([payload[0] ?? 0, ...own]);
    radio.loopBack({ ...back, cluster: cluster | zdo.answer, payload: answered }, incoming.unicast);
  } else radio.loopBack({ ...back, cluster, payload }, incoming.unicast);
}

const sendMulticast: Command = (stick, request) => {
  const { radio } = stick;
  const head = readAps(request);
  // Skip the hops and the radius outside the group.
  request.u16();
  const message = readMessage(head, request);
  const refused = refusalOf(stick, message);
  if (refused !== null) return refused;
  const aps = numbered(stick, head);
  const isSent = radio.toGroup(aps.group, transmissionOf(aps, message), (code) =>
    radio.messageSent(outgoing.multicast, aps.group, aps, message.tag, code),
  );
  if (!isSent) return sent(emberStatus.networkBusy, 0);
  radio.count(counter.apsTxBroadcast);
  const entry = [...radio.multicasts.values()].find(({ group }) => group === aps.group);
  if (entry) {
    const own = loopedBack(aps, message, aps.group, entry.endpoint);
    stick.afterwards(() => radio.loopBack(own, incoming.multicastLoopback));
  }
  return sent(emberStatus.success, aps.sequence);
};

const sendBroadcast: Command = (stick, request) => {
  const { radio } = stick;
  const address = request.u16();
  const head = readAps(request);
  // Skip the radius.
  request.u8();
  const message = readMessage(head, request);
  const refused = refusalOf(stick, message);
  if (refused !== null) return refused;
  const aps = numbered(stick, head);
  const isSent = radio.broadcast(address, transmissionOf(aps, message), (code) =>
    radio.messageSent(outgoing.broadcast, address, aps, message.tag, code),
  );
  if (!isSent) return sent(emberStatus.networkBusy, 0);
  radio.count(counter.apsTxBroadcast);
  stick.afterwards(() => hearOwnBroadcast(stick, aps, message));
  return sent(emberStatus.success, aps.sequence);
};

/** The stack hears its own broadcasts: it obeys those of ZDO and hands others to the host. */
function hearOwnBroadcast({ radio }: EmberParts, aps: ApsFrame, message: Message): void {
  if (aps.profile === 0) {
    // The host opens the stick itself with a command of its own.
    if (aps.cluster === zdo.networkUpdate) answerZdo(radio.subject(), aps.cluster, message.payload.slice(1));
    return;
  }
  const hearers = radio.endpoints.filter(
    ({ id, profile }) =>
      profile === aps.profile && (aps.destinationEndpoint === 0xff || aps.destinationEndpoint === id),
  );
  for (const { id } of hearers)
    radio.loopBack({ ...loopedBack(aps, message, null, id), isBroadcast: true }, incoming.broadcastLoopback);
}

function loopedBack(
  aps: ApsFrame,
  { payload }: Message,
  group: number | null,
  peerEndpoint: number,
): AirFrame {
  const { sourceEndpoint, profile, cluster } = aps;
  return { endpoint: sourceEndpoint, peerEndpoint, profile, cluster, group, isBroadcast: false, payload };
}

/** Messages between the host's endpoints and the network. */
export const messageCommands: Commands = {
  [frameId.sendUnicast]: sendUnicast,
  [frameId.sendMulticast]: sendMulticast,
  [frameId.sendBroadcast]: sendBroadcast,
  /** Moves the radio, for messages outside of the network. */
  [frameId.setLogicalAndRadioChannel]: ({ radio }, request) => {
    const channel = request.u8();
    if (!radio.network) return answer(emberStatus.networkDown);
    radio.tune(channel === radio.network.channel ? null : channel);
    return answer(emberStatus.success);
  },
  /** Sends a MAC frame as it is. Only inter-PAN messages mean something to the devices of the air. */
  [frameId.sendRawMessage]: ({ radio, afterwards, tell }, request) => {
    const message = parseInterPan(request.bytes(request.u8()));
    if (!message) return answer(emberStatus.badArgument);
    afterwards(() =>
      radio.sendInterPan(message.to, message, (code) => {
        const status = code === frameStatus.success ? emberStatus.success : emberStatus.deliveryFailed;
        tell(frameId.rawTransmitCompleteHandler, Uint8Array.of(status));
      }),
    );
    return answer(emberStatus.success);
  },
  [frameId.setMulticastTableEntry]: ({ radio }, request) => {
    const index = request.u8();
    const entry = { group: request.u16(), endpoint: request.u8() };
    if (index >= (radio.configuration.get(configId.multicastTableSize) ?? 0))
      return answer(emberStatus.indexOutOfRange);
    if (entry.endpoint === 0) radio.multicasts.delete(index);
    else radio.multicasts.set(index, entry);
    return answer(emberStatus.success);
  },
  [frameId.getMulticastTableEntry]: ({ radio }, request) => {
    const index = request.u8();
    const isThere = index < (radio.configuration.get(configId.multicastTableSize) ?? 0);
    const { group = 0, endpoint = 0 } = radio.multicasts.get(index) ?? {};
    return answer(isThere ? emberStatus.success : emberStatus.indexOutOfRange)
      .u16(group)
      .u8(endpoint, 0);
  },
};

function readMessage(aps: ApsFrame, request: ByteReader): Message {
  return { aps, tag: request.u8(), payload: request.bytes(request.u8()) };
}

function refusalOf({ radio }: EmberParts, { payload }: Message): ByteWriter | null {
  if (!radio.network) return sent(emberStatus.networkDown, 0);
  return payload.length > maxPayload ? sent(emberStatus.messageTooLong, 0) : null;
}

function numbered({ radio }: EmberParts, aps: ApsFrame): ApsFrame {
  return { ...aps, sequence: radio.nextApsSequence() };
}

function sent(status: number, sequence: number): ByteWriter {
  return wire().u8(status, sequence);
}

function transmissionOf(aps: ApsFrame, { payload }: Message): Transmission {
  const { destinationEndpoint, sourceEndpoint, profile, cluster } = aps;
  return { endpoint: destinationEndpoint, peerEndpoint: sourceEndpoint, profile, cluster, payload };
}
