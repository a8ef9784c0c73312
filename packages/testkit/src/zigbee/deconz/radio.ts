import type { AirFrame, Ieee } from "../air.ts";
import { wire } from "../bytes.ts";
import { CoordinatorRadio } from "../coordinator-radio.ts";
import { status as frameStatus } from "../frame-status.ts";
import type { Network } from "../network.ts";
import type { SimulatedAir } from "../simulated-air.ts";
import type { Parameters } from "./parameters.ts";
import { addressMode, confirmStatus, networkState, stateBit } from "./protocol.ts";

/** How many requests the stick holds until the host has read their confirms. */
const slots = 8;
const everybody = 0xfffd;

/** The volatile part of a ConBee: its radio, and what waits for the host to read it. */
export class DeconzRadio extends CoordinatorRadio {
  readonly parameters: Parameters;
  readonly manufacturerCode = 0x1135;
  state: number = networkState.offline;
  /** Frames from the network, oldest first, without the device state. */
  readonly indications: Uint8Array[] = [];
  /** Results of requests, oldest first, without the device state. */
  readonly confirms: Uint8Array[] = [];
  /** Requests whose result is not known yet. */
  inFlight = 0;
  readonly #changed: () => void;

  /** @param changed called when the device state has changed without a request */
  constructor(air: SimulatedAir, parameters: Parameters, changed: () => void) {
    super(air);
    this.parameters = parameters;
    this.#changed = changed;
  }

  get ieee(): Ieee {
    return this.parameters.ieee;
  }

  /** The state byte of responses (deCONZ serial protocol, 5.4.2). */
  get deviceState(): number {
    const confirm = this.confirms.length > 0 ? stateBit.confirm : 0;
    const indication = this.indications.length > 0 ? stateBit.indication : 0;
    return this.state | confirm | indication | (this.hasSlot ? stateBit.freeSlots : 0);
  }

  get hasSlot(): boolean {
    return this.inFlight + this.confirms.length < slots;
  }

  override start(network: Network): void {
    this.endpoints.splice(0, this.endpoints.length, ...this.parameters.endpoints);
    super.start(network);
    this.parameters.currentChannel = network.channel;
    this.state = networkState.connected;
    this.#changed();
  }

  override stop(): void {
    super.stop();
    this.state = networkState.offline;
  }

  nextFrameCounter(): number {
    this.parameters.frameCounter += 1;
    return this.parameters.frameCounter;
  }

  admits(): boolean {
    return true;
  }

  /** The stick tells nothing about a device before that announces itself. */
  hasJoined(): void {}

  /** The host learns nothing about a device that leaves. */
  hasLeft(): void {}

  received(nwk: number, frame: AirFrame, lqi: number): void {
    const { peerEndpoint, group } = frame;
    const isForUs =
      group !== null || peerEndpoint === 0 || this.endpoints.some(({ id }) => id === peerEndpoint);
    if (isForUs) this.indicate(nwk, frame, lqi);
  }

  /** The host has no command for frames outside of the network. */
  receivedInterPan(): void {}

  /** Keeps a frame for the host. */
  indicate(
    nwk: number,
    { endpoint, peerEndpoint, profile, cluster, group, isBroadcast, payload }: AirFrame,
    lqi: number,
  ): void {
    const head = wire();
    if (group !== null) head.u8(addressMode.group).u16(group).u8(0xff);
    else
      head
        .u8(addressMode.short)
        .u16(isBroadcast ? everybody : 0)
        .u8(peerEndpoint);
    head.u8(addressMode.short).u16(nwk).u8(endpoint).u16(profile, cluster, payload.length).bytes(payload);
    const rssi = Math.round((lqi * 60) / 255) - 100;
    this.indications.push(head.u8(0, 0xaf, lqi, 0, 0, 0, 0, rssi).done());
    this.#changed();
  }

  /**
   * Keeps the result of a request for the host.
   * @param head request id, destination and source endpoint
   * @param code see `confirmStatus`
   */
  confirm(head: Uint8Array, code: number): void {
    this.confirms.push(wire().bytes(head).u8(code, 0, 0, 0, 0).done());
    this.#changed();
  }

  protected override permitted(): void {}

  protected override moved(channel: number): void {
    this.parameters.moved(channel);
    this.#changed();
  }
}

/** The status of a confirm for each status of a frame. */
export const confirmStatusOf: Readonly<Record<number, number>> = {
  [frameStatus.success]: confirmStatus.success,
  [frameStatus.apsNoAck]: confirmStatus.apsNoAck,
  [frameStatus.noRoute]: confirmStatus.routeDiscoveryFailed,
  [frameStatus.channelBusy]: confirmStatus.noChannelAccess,
  [frameStatus.noAck]: confirmStatus.noAck,
  [frameStatus.transactionExpired]: confirmStatus.transactionExpired,
  [frameStatus.transactionOverflow]: confirmStatus.transactionOverflow,
};
