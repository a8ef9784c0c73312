import type { AirBinding, AirFrame, EndpointDescriptor, Ieee, InterPanFrame } from "./air.ts";
import type { AirNode } from "./air-node.ts";
import type { Confirm, Coordinator, Network, Transmission } from "./network.ts";
import { neighbourOf, nwkOfChild } from "./node-subject.ts";
import type { SimulatedAir } from "./simulated-air.ts";
import type { ZdoSubject } from "./zdo-server.ts";

/** Time for a broadcast to spread before its sender changes the channel. */
const channelChangeMs = 100;

/** The radio of a stick: what all kinds of sticks have in common. It forgets everything without power. */
export abstract class CoordinatorRadio implements Coordinator {
  readonly endpoints: EndpointDescriptor[] = [];
  readonly bindings: AirBinding[] = [];
  /** In dBm. */
  txPower = 5;
  network: Network | null = null;
  protected readonly air: SimulatedAir;
  readonly installCodes = new Map<Ieee, string>();
  #interPanChannel: number | null = null;
  #openUntil = -Infinity;
  #cancelClosing: () => void = () => {};

  constructor(air: SimulatedAir) {
    this.air = air;
  }

  abstract readonly ieee: Ieee;
  abstract readonly manufacturerCode: number;
  abstract nextFrameCounter(): number;
  abstract admits(ieee: Ieee, nwk: number, isChild: boolean): boolean;
  abstract hasJoined(ieee: Ieee, nwk: number, parent: number): void;
  abstract hasLeft(ieee: Ieee, nwk: number, rejoins: boolean): void;
  abstract received(nwk: number, frame: AirFrame, lqi: number): void;
  abstract receivedInterPan(frame: InterPanFrame, lqi: number): void;
  /**
   * Called when the network was opened for joining or was closed.
   * @param seconds as given to `permit`; 0 when it was closed
   */
  protected abstract permitted(seconds: number): void;
  /** Called when the network moves to a channel. */
  protected abstract moved(channel: number): void;

  get channel(): number | null {
    return this.network && (this.#interPanChannel ?? this.network.channel);
  }

  get isOpen(): boolean {
    return this.air.clock.now() < this.#openUntil;
  }

  start(network: Network): void {
    this.network = network;
    this.air.attach(this);
  }

  /** Loses the frames that it holds for sleeping children, because it loses its power. */
  dropHeld(): void {
    for (const node of this.nodes()) if (node.place?.parent === null) node.takeHeld();
  }

  /** Turns the radio off. */
  stop(): void {
    this.#cancelClosing();
    this.air.detach(this);
    this.network = null;
    this.#interPanChannel = null;
    this.#openUntil = -Infinity;
  }

  energy(channel: number): number {
    return this.air.energy.get(channel) ?? 0;
  }

  /** Lets devices join for some seconds; 255 means forever, 0 ends it. */
  permit(seconds: number): void {
    const { clock } = this.air;
    this.#cancelClosing();
    const ms = seconds === 255 ? Infinity : seconds * 1000;
    this.#openUntil = clock.now() + ms;
    this.permitted(seconds);
    if (seconds === 0) return;
    if (ms !== Infinity) this.#cancelClosing = clock.after(ms, () => this.permitted(0));
    this.air.opened();
  }

  /** Changes the channel after the network had time to hear of it. */
  changeChannel(channel: number): void {
    const { clock } = this.air;
    clock.after(channelChangeMs, () => {
      if (!this.network) return;
      this.network = { ...this.network, channel };
      this.moved(channel);
    });
  }

  /** Moves the radio to a channel for inter-PAN frames, away from its network; null brings it back. */
  tune(channel: number | null): void {
    this.#interPanChannel = channel;
  }

  /** Sends an inter-PAN frame to a device, or with null to every device on the channel. */
  sendInterPan(
    to: Ieee | null,
    sent: Pick<InterPanFrame, "profile" | "cluster" | "payload">,
    confirm: Confirm,
  ): void {
    const frame = { ...sent, channel: this.channel ?? 0, from: this.ieee };
    this.air.interPan.send(this, to, frame, confirm);
  }

  /** Returns the devices of its network. */
  nodes(): readonly AirNode[] {
    return this.air.delivery.membersOf(this);
  }

  /** @param freed called when the radio is done with the frame, see `Delivery.unicast` */
  unicast(nwk: number, sent: Transmission, confirm: Confirm, freed?: () => void): void {
    this.air.delivery.unicast(this, nwk, sent, confirm, freed);
  }

  /** @returns false when the table of broadcasts is full */
  toGroup(group: number, sent: Transmission, confirm: Confirm): boolean {
    return this.air.delivery.group(this, group, sent, confirm);
  }

  /** @returns false when the table of broadcasts is full */
  broadcast(address: number, sent: Transmission, confirm: Confirm): boolean {
    return this.air.delivery.broadcast(this, address, sent, confirm);
  }

  /** Presents the stick itself to ZDO requests. */
  subject(): ZdoSubject {
    const members = this.nodes();
    const near = members.filter(({ place }) => place && !place.parent);
    return {
      ieee: this.ieee,
      nwk: 0,
      type: 0,
      descriptor: {
        kind: "router",
        isMainsPowered: true,
        manufacturerCode: this.manufacturerCode,
        endpoints: this.endpoints,
      },
      bindings: this.bindings,
      extendedPanId: this.network?.extendedPanId ?? "",
      hasRoom: true,
      neighbours: () => near.map((node) => neighbourOf(node, 1)),
      routes: () =>
        members.flatMap(({ place }) =>
          place?.parent?.place ? [{ to: place.nwk, via: place.parent.place.nwk }] : [],
        ),
      leave: () => {},
      permit: (seconds) => this.permit(seconds),
      energy: (channel) => this.energy(channel),
      changeChannel: (channel) => this.changeChannel(channel),
      nwkOf: (ieee) => (ieee === this.ieee ? 0 : nwkOfChild(near, ieee)),
      ieeeOf: (nwk) => (nwk === 0 ? this.ieee : undefined),
    };
  }
}
