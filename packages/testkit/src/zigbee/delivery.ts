import type { Random } from "../random.ts";
import type { AirFrame, Ieee } from "./air.ts";
import type { Clock } from "../clock.ts";
import type { AirNode } from "./air-node.ts";
import { BroadcastTable, type BroadcastTableOptions } from "./broadcast-table.ts";
import type { AirChannel } from "./channel/channel.ts";
import { octetsOf, pollOctets } from "./channel/time-on-air.ts";
import { Flood } from "./flood.ts";
import { FrameLog, type LoggedFrame } from "./frame-log.ts";
import { status } from "./frame-status.ts";
import type { Interference, Status } from "./interference.ts";
import { isSameNetwork, type Confirm, type Coordinator, type Transmission } from "./network.ts";
import { routeBetween, type Stop } from "./route.ts";
import { broadcast } from "./zdo.ts";

/** Options of `Delivery`. */
export interface DeliveryOptions {
  /** The air's list, which grows. */
  readonly nodes: readonly AirNode[];
  readonly clock: Clock;
  readonly random: Random;
  readonly channel: AirChannel;
  readonly broadcasts?: BroadcastTableOptions;
}

/** A frame on its way over one or more hops. */
interface Trip {
  readonly coordinator: Coordinator;
  readonly route: readonly Stop[];
  readonly octets: number;
  /** Called at the end of the first hop. Returns the status; the frame goes on after success. */
  readonly sent: (code: Status) => Status;
  readonly arrived: () => void;
}

/** Delivers frames, and loses or refuses them as a test demands. */
export class Delivery {
  readonly log = new FrameLog();
  readonly coordinators = new Set<Coordinator>();
  readonly nodes: readonly AirNode[];
  /** Share of lost frames, 0..100. */
  lossPercent = 0;
  interference: Interference | null = null;
  readonly #options: DeliveryOptions;
  readonly #tables = new Map<Coordinator, BroadcastTable>();

  constructor(options: DeliveryOptions) {
    this.nodes = options.nodes;
    this.#options = options;
  }

  /** Returns the devices of a coordinator's network, in reach or not. */
  membersOf(coordinator: Coordinator): readonly AirNode[] {
    const { network } = coordinator;
    return network ? this.nodes.filter(({ place }) => place && isSameNetwork(place.network, network)) : [];
  }

  /** Returns the coordinator of a device's network, on any channel. */
  coordinatorOf(node: AirNode): Coordinator | undefined {
    const { place } = node;
    if (!place) return undefined;
    return [...this.coordinators].find(({ network }) => network && isSameNetwork(network, place.network));
  }

  /**
   * Sends a frame of the coordinator to one address.
   * @param freed called when the coordinator's radio is done with it: it is out, lost, or held for a child that sleeps
   */
  unicast(
    coordinator: Coordinator,
    nwk: number,
    sent: Transmission,
    confirm: Confirm,
    freed: () => void = () => {},
  ): void {
    const node = this.membersOf(coordinator).find(({ place }) => place?.nwk === nwk);
    const logged = this.#write("unicast", sent, { to: node?.device.ieee ?? null });
    const counter = coordinator.nextFrameCounter();
    const frame: AirFrame = { ...sent, group: null, isBroadcast: false };
    if (!node) {
      return this.#later(() => {
        freed();
        confirm(this.#interfered(logged) ?? status.noRoute);
      });
    }
    const route = routeBetween(null, node);
    const isDirect = route.length === 2;
    this.#carry({
      coordinator,
      route,
      octets: octetsOf(sent),
      sent: (code) => {
        freed();
        const outcome = this.#interfered(logged) ?? (node.place ? code : status.noRoute);
        // Without end-to-end acknowledgement, a sender learns only about the first hop.
        if (outcome !== status.success || !isDirect) confirm(outcome);
        return outcome;
      },
      arrived: () => {
        const taken: Confirm = isDirect ? confirm : () => {};
        if (node.takes(counter)) this.#handOver(coordinator, node, frame, taken);
        else taken(status.success);
      },
    });
  }

  /**
   * Sends a frame of the coordinator to a group, once for all its members.
   * @returns false when its table of broadcasts is full; nothing is sent then
   */
  group(coordinator: Coordinator, group: number, sent: Transmission, confirm: Confirm): boolean {
    const counter = coordinator.nextFrameCounter();
    const logged = { ...this.#entryOf("group", sent), group };
    return this.#cast(coordinator, logged, confirm, (node) => {
      if (node.isAwake && node.takes(counter)) toGroup(node, group, sent);
    });
  }

  /**
   * Sends a frame of the coordinator to a broadcast address.
   * @returns as `group` does
   */
  broadcast(coordinator: Coordinator, address: number, sent: Transmission, confirm: Confirm): boolean {
    const counter = coordinator.nextFrameCounter();
    return this.#cast(coordinator, this.#entryOf("broadcast", sent), confirm, (node) => {
      if (address === broadcast.routers && !node.isRouter) return;
      if (address === broadcast.awake && node.isSleepy) return;
      if (!node.takes(counter)) return;
      for (const endpoint of endpointsFor(node, sent)) {
        this.#handOver(coordinator, node, { ...sent, endpoint, group: null, isBroadcast: true }, () => {});
      }
    });
  }

  /**
   * Sends a frame of a device: to the coordinator, which may not hear it, or to another device.
   * @param to null for the coordinator
   * @param done called when it is sent or lost
   */
  fromNode(node: AirNode, frame: AirFrame, to: Ieee | null, done: () => void): void {
    const kind = frame.group !== null ? "group" : frame.isBroadcast ? "broadcast" : "unicast";
    const logged = this.#write(kind, frame, { from: node.device.ieee, to, group: frame.group });
    const coordinator = this.coordinatorOf(node);
    if (!node.place || !coordinator) return this.#later(done);
    const { nwk } = node.place;
    const heard = (): void => coordinator.received(nwk, frame, node.lqi);
    if (kind !== "unicast") return this.#castOf(node, coordinator, logged, heard, done);
    const peer = to === null ? null : this.membersOf(coordinator).find(({ device }) => device.ieee === to);
    if (peer === undefined) return this.#later(done);
    const route = routeBetween(node, peer);
    const isDirect = route.length === 2;
    this.#carry({
      coordinator,
      route,
      octets: octetsOf(frame),
      sent: (code) => {
        const outcome = this.#interfered(logged) ?? code;
        if (outcome !== status.success || !isDirect) done();
        return outcome;
      },
      arrived: () => {
        if (peer === null) heard();
        else this.#handOver(coordinator, peer, mirrored(frame, node.device.ieee), () => {});
        if (isDirect) done();
      },
    });
  }

  /** Gives a sleepy device the frames that its parent holds, because it polls. */
  poll(node: AirNode): void {
    const { channel } = this.#options;
    const coordinator = this.coordinatorOf(node);
    if (!channel.isTimed || !coordinator) return node.deliverHeld();
    const parent = node.place?.parent ?? coordinator;
    const isHeard = (): boolean => !this.#isLost() && this.isHeard(node, coordinator);
    channel.unicast({ sender: node, octets: pollOctets, isRelayed: false }, isHeard, (polled) => {
      // It polls again at its next time.
      if (polled !== status.success) return node.awaitPoll();
      for (const { frame, confirm } of node.takeHeld()) {
        channel.unicast({ sender: parent, octets: octetsOf(frame), isRelayed: true }, isHeard, (code) => {
          confirm(code);
          if (code === status.success) node.deliver(frame);
        });
      }
    });
  }

  /** Whether frames pass between a device and the coordinator, through its parents. */
  isHeard(node: AirNode, coordinator: Coordinator): boolean {
    if (!node.isPresent || node.place?.network.channel !== coordinator.channel) return false;
    return !node.place?.parent || this.isHeard(node.place.parent, coordinator);
  }

  #carry(trip: Trip, hop: number = 0): void {
    const { coordinator, route, octets, sent, arrived } = trip;
    if (hop === route.length - 1) return arrived();
    const { channel } = this.#options;
    const [from = null, to = null] = [route[hop], route[hop + 1]];
    const isRelayed = hop > 0;
    const end = (code: Status): void => {
      if ((isRelayed ? code : sent(code)) === status.success) this.#carry(trip, hop + 1);
    };
    // The parent of a sleepy device holds the frame until that polls.
    const isHeld = to?.isSleepy === true;
    if (isHeld && channel.isTimed) return end(status.success);
    const isReceived = (): boolean =>
      !this.#isLost() && (isHeld || [from, to].every((stop) => !stop || this.isHeard(stop, coordinator)));
    channel.unicast({ sender: from ?? coordinator, octets, isRelayed }, isReceived, end);
  }

  #cast(
    coordinator: Coordinator,
    logged: LoggedFrame,
    confirm: Confirm,
    heard: (node: AirNode) => void,
  ): boolean {
    if (!this.#tableOf(coordinator).take()) return false;
    this.log.frames.push(logged);
    const disturbed = this.#interfered(logged);
    if (disturbed !== undefined) this.#later(() => confirm(disturbed));
    else this.#spread(coordinator, null, octetsOf(logged), confirm, heard, () => {});
    return true;
  }

  #castOf(
    node: AirNode,
    coordinator: Coordinator,
    logged: LoggedFrame,
    heard: () => void,
    done: () => void,
  ): void {
    const { group } = logged;
    const toMember = (other: AirNode): void => {
      if (group !== null && other.isAwake) toGroup(other, group, { ...logged, peerEndpoint: 1 });
    };
    const isLost = this.#disturbance(logged) !== undefined || !this.#tableOf(coordinator).take();
    if (isLost) this.#later(done);
    else this.#spread(coordinator, node, octetsOf(logged), done, toMember, heard);
  }

  /** Takes a frame to all devices that hear it. */
  #spread(
    coordinator: Coordinator,
    origin: AirNode | null,
    octets: number,
    sent: Confirm,
    heard: (node: AirNode) => void,
    heardByCoordinator: () => void,
  ): void {
    const { channel, clock, random } = this.#options;
    const members = this.membersOf(coordinator);
    const receives = (node: AirNode): boolean => this.isHeard(node, coordinator) && !this.#isLost();
    if (channel.isTimed) {
      const air = { channel, clock, random, coordinator, members, receives };
      return new Flood(air, octets, heard, heardByCoordinator).begin(origin, sent);
    }
    channel.broadcast({ sender: origin ?? coordinator, octets, isRelayed: false }, (code) => {
      const isOut = origin === null || this.isHeard(origin, coordinator);
      if (isOut) heardByCoordinator();
      sent(code);
      if (isOut) for (const node of members) if (node !== origin && receives(node)) heard(node);
    });
  }

  /** Gives a frame to the device, or to its parent while it sleeps. */
  #handOver(coordinator: Coordinator, node: AirNode, frame: AirFrame, confirm: Confirm): void {
    const { channel } = this.#options;
    if (node.isSleepy && (channel.isTimed || !node.isAwake || !this.isHeard(node, coordinator))) {
      return node.hold(frame, confirm);
    }
    confirm(status.success);
    node.deliver(frame);
  }

  #tableOf(coordinator: Coordinator): BroadcastTable {
    const { clock, broadcasts } = this.#options;
    const table = this.#tables.get(coordinator) ?? new BroadcastTable(clock, broadcasts);
    this.#tables.set(coordinator, table);
    return table;
  }

  #write(kind: LoggedFrame["kind"], sent: Transmission, ends: Partial<LoggedFrame>): LoggedFrame {
    const logged: LoggedFrame = { ...this.#entryOf(kind, sent), ...ends };
    this.log.frames.push(logged);
    return logged;
  }

  #entryOf(kind: LoggedFrame["kind"], { endpoint, profile, cluster, payload }: Transmission): LoggedFrame {
    const at = this.#options.clock.now();
    return { at, kind, from: null, to: null, group: null, endpoint, profile, cluster, payload };
  }

  #later(then: () => void): void {
    const { clock, channel } = this.#options;
    clock.after(channel.delayMs, then);
  }

  #disturbance(frame: LoggedFrame): Status | undefined {
    return this.#interfered(frame) ?? (this.#isLost() ? status.noAck : undefined);
  }

  #interfered(frame: LoggedFrame): Status | undefined {
    return this.interference?.(frame);
  }

  #isLost(): boolean {
    return this.lossPercent > 0 && this.#options.random(100) < this.lossPercent;
  }
}

/** Returns a frame as the device at its other end sees it. */
function mirrored(frame: AirFrame, peer: Ieee): AirFrame {
  return { ...frame, peer, endpoint: frame.peerEndpoint, peerEndpoint: frame.endpoint };
}

/** Delivers a group frame to the endpoints of a device that are in the group. */
function toGroup(node: AirNode, group: number, sent: Transmission): void {
  const { peerEndpoint, profile, cluster, payload } = sent;
  for (const { id } of node.device.descriptor.endpoints) {
    if (!node.device.groupsOf(id).has(group)) continue;
    node.deliver({ endpoint: id, peerEndpoint, profile, cluster, payload, group, isBroadcast: false });
  }
}

/** Returns the addressed endpoint, or all endpoints of the profile. */
function endpointsFor(node: AirNode, { endpoint, profile }: Transmission): readonly number[] {
  if (endpoint !== 0xff) return [endpoint];
  const { endpoints } = node.device.descriptor;
  return endpoints.filter((other) => other.profile === profile).map(({ id }) => id);
}
