import { ByteReader, wire, type ByteWriter } from "../bytes.ts";
import { status as frameStatus } from "../frame-status.ts";
import type { Transmission } from "../network.ts";
import { broadcast, zdo } from "../zdo.ts";
import { answerZdo } from "../zdo-server.ts";
import {
  addressMode,
  command,
  commandStatus,
  confirmStatus,
  firmware,
  networkState,
  parameter,
} from "./protocol.ts";
import { confirmStatusOf, type DeconzRadio } from "./radio.ts";

/** The parts of a stick that commands work on. */
export interface DeconzParts {
  readonly radio: DeconzRadio;
  /** Runs work after the response was sent. */
  readonly afterwards: (work: () => void) => void;
  /** Starts the watchdog anew: without another call the stick restarts after these seconds. */
  readonly watch: (seconds: number) => void;
}

/** Status and payload of a response. */
export type Answer = readonly [status: number, payload: ByteWriter];

type Command = (stick: DeconzParts, request: ByteReader) => Answer;

const { success } = commandStatus;

/** The commands by id. A request's payload begins behind the frame length. */
export const commands: Readonly<Record<number, Command>> = {
  [command.firmwareVersion]: () => [success, wire().u32(firmware)],
  [command.deviceState]: ({ radio }) => [success, wire().u8(radio.deviceState, 0, 0)],
  [command.changeNetworkState]: ({ radio, afterwards }, request) => {
    const wanted = request.u8();
    if (wanted === networkState.connected) return connect(radio, afterwards);
    if (wanted !== networkState.offline) return [commandStatus.invalidValue, wire().u8(radio.state)];
    radio.stop();
    return [success, wire().u8(radio.state)];
  },
  [command.readParameter]: ({ radio }, request) => {
    const [id, argument] = readPayload(request);
    const value = radio.parameters.read(id, argument);
    if (!value) return [commandStatus.unsupported, wire().u16(1).u8(id)];
    return [
      success,
      wire()
        .u16(value.length + 1)
        .u8(id)
        .bytes(value),
    ];
  },
  [command.writeParameter]: (stick, request) => {
    const [id, value] = readPayload(request);
    const isRight = stick.radio.parameters.write(id, value);
    if (isRight) applied(stick, id, value);
    return [isRight ? success : commandStatus.invalidValue, wire().u16(1).u8(id)];
  },
  [command.apsRequest]: (stick, request) => {
    const { radio } = stick;
    request.u16();
    const requestId = request.u8();
    const answer = (status: number): Answer => [status, wire().u16(2).u8(radio.deviceState, requestId)];
    if (!radio.network) return answer(commandStatus.noNetwork);
    if (!radio.hasSlot) return answer(commandStatus.busy);
    send(stick, requestId, request);
    return answer(success);
  },
  [command.apsConfirm]: ({ radio }) => taken(radio, radio.confirms.shift()),
  [command.apsIndication]: ({ radio }) => taken(radio, radio.indications.shift()),
};

/** Returns a waiting piece of data with the state that is left without it. */
function taken(radio: DeconzRadio, data: Uint8Array | undefined): Answer {
  if (!data) return [commandStatus.failure, wire().u16(1).u8(radio.deviceState)];
  return [
    success,
    wire()
      .u16(data.length + 1)
      .u8(radio.deviceState)
      .bytes(data),
  ];
}

function connect(radio: DeconzRadio, afterwards: DeconzParts["afterwards"]): Answer {
  const network = radio.parameters.network();
  if (!network) return [commandStatus.error, wire().u8(radio.state)];
  if (!radio.network) {
    radio.state = networkState.joining;
    afterwards(() => radio.start(network));
  }
  return [success, wire().u8(radio.state)];
}

/** Carries out what a written parameter means at once. */
function applied({ radio, watch }: DeconzParts, id: number, value: Uint8Array): void {
  if (id === parameter.permitJoin) radio.permit(value[0] ?? 0);
  if (id === parameter.watchdogTtl) watch(Buffer.from(value).readUInt32LE(0));
}

/** Sends an APS data request. The host reads the result as a confirm. */
function send({ radio, afterwards }: DeconzParts, requestId: number, request: ByteReader): void {
  // Skip the flags.
  request.u8();
  const mode = request.u8();
  const address = mode === addressMode.ieee ? nwkOf(radio, request) : request.u16();
  const endpoint = mode === addressMode.group ? 0xff : request.u8();
  const [profile, cluster] = [request.u16(), request.u16()];
  const peerEndpoint = request.u8();
  const payload = request.bytes(request.u16());
  const sent = { endpoint, peerEndpoint, profile, cluster, payload };
  const destination = wire()
    .u8(requestId, mode === addressMode.ieee ? addressMode.short : mode)
    .u16(address);
  if (mode !== addressMode.group) destination.u8(endpoint);
  const head = destination.u8(peerEndpoint).done();
  radio.inFlight += 1;
  const end = (code: number): void => {
    radio.inFlight -= 1;
    radio.confirm(head, code);
  };
  const confirm = (code: number): void => end(confirmStatusOf[code] ?? confirmStatus.noAck);
  afterwards(() => {
    const refuse = (): void => end(confirmStatus.broadcastTableFull);
    if (mode === addressMode.group) {
      if (!radio.toGroup(address, sent, confirm)) refuse();
    } else if (address >= broadcast.lowest) {
      if (!radio.broadcast(address, sent, confirm)) refuse();
      if (profile === 0 && cluster === zdo.networkUpdate)
        answerZdo(radio.subject(), cluster, payload.slice(1));
    } else if (address === 0) toSelf(radio, sent, confirm);
    else radio.unicast(address, sent, confirm);
  });
}

/** Answers a ZDO request to the stick itself. */
function toSelf(
  radio: DeconzRadio,
  { endpoint, peerEndpoint, profile, cluster, payload }: Transmission,
  confirm: (code: number) => void,
): void {
  confirm(frameStatus.success);
  const own = endpoint === 0 && profile === 0 ? answerZdo(radio.subject(), cluster, payload.slice(1)) : null;
  if (!own) return;
  const back = { endpoint, peerEndpoint, profile, group: null, isBroadcast: false };
  const answered = Uint8Array.from([payload[0] ?? 0, ...own]);
  radio.indicate(0, { ...back, cluster: cluster | zdo.answer, payload: answered }, 255);
}

const unknown = 0xfffe;

function nwkOf(radio: DeconzRadio, request: ByteReader): number {
  const ieee = request.ieee();
  return radio.nodes().find(({ device }) => device.ieee === ieee)?.place?.nwk ?? unknown;
}

/** Reads the payload of a request about a parameter: its id and the rest. */
function readPayload(request: ByteReader): readonly [id: number, rest: Uint8Array] {
  const payload = new ByteReader(request.bytes(request.u16()));
  return [payload.u8(), payload.rest()];
}
