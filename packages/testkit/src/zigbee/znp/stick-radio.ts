import type { AirFrame, Ieee, InterPanFrame } from "../air.ts";
import { wire } from "../bytes.ts";
import { CoordinatorRadio } from "../coordinator-radio.ts";
import type { Confirm, Network, Transmission } from "../network.ts";
import type { SimulatedAir } from "../simulated-air.ts";
import type { StickMemory } from "./stick-memory.ts";
import { broadcast, zdo } from "../zdo.ts";
import { channelsOf } from "../zdo-server.ts";
import { addressMode, deviceState, interPan, subsystem } from "./znp.ts";

/** Sends an unsolicited message to the host. */
export type Indicate = (subsystem: number, id: number, data: Uint8Array) => void;

const indication = {
  incoming: 0x81,
  incomingExtended: 0x82,
  stateChange: 0xc0,
  announce: 0xc1,
  leave: 0xc9,
  joined: 0xca,
  permitJoin: 0xcb,
  answer: 0x80,
} as const;

/** The volatile part of a stick: its radio, endpoints and groups. */
export class StickRadio extends CoordinatorRadio {
  readonly memory: StickMemory;
  readonly manufacturerCode = 0x0007;
  /** `endpoint/group`. */
  readonly groups = new Set<string>();
  /** Channels that the host allows for a new network; 0 for those of the memory. */
  primaryChannels = 0;
  /** The endpoint that gets inter-PAN frames. */
  interPanEndpoint: number | null = null;
  readonly #indicate: Indicate;
  #sequence = 0;
  readonly #buffers: number;
  #buffersInUse = 0;

  /** @param buffers how many frames to single addresses it holds until they are sent */
  constructor(air: SimulatedAir, memory: StickMemory, indicate: Indicate, buffers: number) {
    super(air);
    this.#buffers = buffers;
    this.memory = memory;
    this.#indicate = indicate;
  }

  get ieee(): Ieee {
    return this.memory.ieee;
  }

  get state(): number {
    return this.network ? deviceState.coordinator : deviceState.hold;
  }

  /**
   * Starts the stored network.
   * @returns whether there is one.
   */
  resume(): boolean {
    const network = this.memory.network();
    if (network) this.start(network);
    return network !== null;
  }

  override start(network: Network): void {
    super.start(network);
    this.#tellState(deviceState.starting);
    this.#tellState(deviceState.coordinator);
  }

  /** Forms a new network with the parameters in the memory, on the quietest of its channels. */
  form(): void {
    const { channels, ...wanted } = this.memory.wanted();
    const allowed = channelsOf(this.primaryChannels || channels);
    const quietest = allowed.toSorted((one, other) => this.energy(one) - this.energy(other))[0] ?? 11;
    // Avoid the PAN id of another network, as a coordinator does that hears one.
    while (this.air.hasNetwork(wanted.panId, quietest)) wanted.panId = (wanted.panId + 1) % 0xffff;
    this.memory.form({ ...wanted, channel: quietest });
    this.resume();
  }

  /** Turns the radio off and drops everything that is not in the memory. */
  override stop(): void {
    super.stop();
    this.interPanEndpoint = null;
    this.endpoints.length = 0;
    this.groups.clear();
    this.bindings.length = 0;
  }

  receivedInterPan({ from, cluster, payload }: InterPanFrame, lqi: number): void {
    const endpoint = this.interPanEndpoint;
    if (endpoint === null) return;
    const head = wire().u16(0, cluster).u8(addressMode.ieee).ieee(from).u8(interPan.endpoint);
    head.u16(interPan.panId).u8(endpoint, 0, lqi, 0).u32(this.#time()).u8(0).u16(payload.length);
    this.#indicate(subsystem.af, indication.incomingExtended, head.bytes(payload).done());
  }

  /** @returns false when all its buffers are in use */
  override unicast(nwk: number, sent: Transmission, confirm: Confirm): boolean {
    if (this.#buffersInUse >= this.#buffers) return false;
    this.#buffersInUse += 1;
    super.unicast(nwk, sent, confirm, () => (this.#buffersInUse -= 1));
    return true;
  }

  /**
   * Sends a ZDO request to one address or to a broadcast address.
   * @returns false when its buffers or its table of broadcasts are full
   */
  askZdo(nwk: number, cluster: number, request: Uint8Array): boolean {
    this.#sequence = (this.#sequence + 1) & 0xff;
    const payload = Uint8Array.from([this.#sequence, ...request]);
    const sent = { endpoint: 0, peerEndpoint: 0, profile: 0, cluster, payload };
    if (nwk >= broadcast.lowest) return this.broadcast(nwk, sent, () => {});
    return this.unicast(nwk, sent, () => {});
  }

  nextFrameCounter(): number {
    this.memory.frameCounter += 1;
    return this.memory.frameCounter;
  }

  admits(ieee: Ieee, nwk: number, isChild: boolean): boolean {
    return this.memory.remember(ieee, nwk, isChild);
  }

  hasJoined(ieee: Ieee, nwk: number, parent: number): void {
    this.#indicate(subsystem.zdo, indication.joined, wire().u16(nwk).ieee(ieee).u16(parent).done());
  }

  hasLeft(ieee: Ieee, nwk: number, rejoins: boolean): void {
    if (!rejoins) this.memory.forget(ieee);
    const data = wire()
      .u16(nwk)
      .ieee(ieee)
      .u8(0, 0, rejoins ? 1 : 0);
    this.#indicate(subsystem.zdo, indication.leave, data.done());
  }

  received(nwk: number, frame: AirFrame, lqi: number): void {
    if (frame.peerEndpoint === 0) this.#zdoReceived(nwk, frame.cluster, frame.payload.slice(1));
    else if (this.endpoints.some(({ id }) => id === frame.peerEndpoint)) {
      this.#indicate(subsystem.af, indication.incoming, this.#incoming(nwk, frame, lqi));
    }
  }

  protected override permitted(seconds: number): void {
    this.#indicate(subsystem.zdo, indication.permitJoin, Uint8Array.of(seconds));
  }

  protected override moved(channel: number): void {
    this.memory.changeChannel(channel);
  }

  #zdoReceived(nwk: number, cluster: number, payload: Uint8Array): void {
    if (cluster === zdo.announce) {
      this.#indicate(subsystem.zdo, indication.announce, wire().u16(nwk).bytes(payload).done());
    } else if (cluster & zdo.answer) this.zdoAnswered(nwk, cluster & ~zdo.answer, payload);
  }

  /** Passes a node's answer on to the host. */
  zdoAnswered(nwk: number, cluster: number, payload: Uint8Array): void {
    const isAddress = cluster === zdo.nwkAddress || cluster === zdo.ieeeAddress;
    const data = isAddress ? swapped(payload) : wire().u16(nwk).bytes(payload).done();
    this.#indicate(subsystem.zdo, indication.answer | cluster, data);
  }

  #incoming(nwk: number, frame: AirFrame, lqi: number): Uint8Array {
    const { endpoint, peerEndpoint, cluster, group, isBroadcast, payload } = frame;
    const head = wire()
      .u16(group ?? 0, cluster, nwk)
      .u8(endpoint, peerEndpoint, isBroadcast ? 1 : 0, lqi, 0);
    return head.u32(this.#time()).u8(0, payload.length).bytes(payload).u16(nwk).u8(29).done();
  }

  #time(): number {
    return this.air.clock.now() % 2 ** 32;
  }

  #tellState(state: number): void {
    this.#indicate(subsystem.zdo, indication.stateChange, Uint8Array.of(state));
  }
}

/** Z-Stack puts the start index before the number of devices. */
function swapped(answer: Uint8Array): Uint8Array {
  const copy = answer.slice();
  const [, , , , , , , , , , , count = 0, start = 0] = copy;
  copy[11] = start;
  copy[12] = count;
  return copy;
}
