import type { Random } from "../random.ts";
import type { AirFrame } from "./air.ts";
import type { AirClock } from "./air-clock.ts";
import type { AirNode } from "./air-node.ts";
import { FrameLog, type LoggedFrame } from "./frame-log.ts";
import type { Interference, Status } from "./interference.ts";
import { isSameNetwork, type Confirm, type Coordinator, type Transmission } from "./network.ts";
import { status } from "./frame-status.ts";
import { broadcast } from "./zdo.ts";

/** Delivers frames, and loses or refuses them as a test demands. */
export class Delivery {
  readonly log = new FrameLog();
  readonly coordinators = new Set<Coordinator>();
  readonly nodes: readonly AirNode[];
  /** How long a frame takes. */
  delayMs = 0;
  /** Share of lost frames, 0..100. */
  lossPercent = 0;
  interference: Interference | null = null;
  readonly #clock: AirClock;
  readonly #random: Random;

  /** @param nodes the air's list, which grows. */
  constructor(nodes: readonly AirNode[], clock: AirClock, random: Random) {
    this.nodes = nodes;
    this.#clock = clock;
    this.#random = random;
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

  /** Sends a frame of the coordinator to one address. */
  unicast(coordinator: Coordinator, nwk: number, sent: Transmission, confirm: Confirm): void {
    const node = this.membersOf(coordinator).find(({ place }) => place?.nwk === nwk);
    const logged = this.#write("unicast", sent, { to: node?.device.ieee ?? null });
    const counter = coordinator.nextFrameCounter();
    const frame: AirFrame = { ...sent, group: null, isBroadcast: false };
    this.#later(() => {
      const disturbed = this.#disturbance(logged);
      if (disturbed !== undefined) confirm(disturbed);
      else if (!node?.place) confirm(status.noRoute);
      else this.#carry(coordinator, node, { frame, counter, confirm });
    });
  }

  /** Sends a frame of the coordinator to a group, once for all its members. */
  group(coordinator: Coordinator, group: number, sent: Transmission, confirm: Confirm): void {
    const logged = this.#write("group", sent, { group });
    const counter = coordinator.nextFrameCounter();
    this.#later(() => {
      const disturbed = this.#interfered(logged);
      confirm(disturbed ?? status.success);
      if (disturbed !== undefined) return;
      for (const node of this.#groupHearers(coordinator)) if (node.takes(counter)) toGroup(node, group, sent);
    });
  }

  /** Sends a frame of the coordinator to a broadcast address. */
  broadcast(coordinator: Coordinator, address: number, sent: Transmission, confirm: Confirm): void {
    const logged = this.#write("broadcast", sent, {});
    const counter = coordinator.nextFrameCounter();
    this.#later(() => {
      const disturbed = this.#interfered(logged);
      confirm(disturbed ?? status.success);
      if (disturbed !== undefined) return;
      for (const node of this.membersOf(coordinator)) {
        if (address === broadcast.routers && !node.isRouter) continue;
        if (address === broadcast.awake && node.isSleepy) continue;
        if (!this.isHeard(node, coordinator) || this.#isLost() || !node.takes(counter)) continue;
        for (const endpoint of endpointsFor(node, sent)) {
          arrive(node, { ...sent, endpoint, group: null, isBroadcast: true }, () => {});
        }
      }
    });
  }

  /** Sends a frame of a device to the coordinator, which may not hear it. */
  fromNode(node: AirNode, frame: AirFrame): void {
    const kind = frame.group !== null ? "group" : frame.isBroadcast ? "broadcast" : "unicast";
    const { group } = frame;
    const logged = this.#write(kind, frame, { from: node.device.ieee, group });
    this.#later(() => {
      const coordinator = this.coordinatorOf(node);
      if (!node.place || !node.isPowered || !coordinator || this.#disturbance(logged) !== undefined) return;
      if (!this.isHeard(node, coordinator)) return;
      coordinator.received(node.place.nwk, frame, node.lqi);
      if (group === null) return;
      for (const other of this.#groupHearers(coordinator)) if (other !== node) toGroup(other, group, frame);
    });
  }

  /** Whether frames pass between a device and the coordinator, through its parents. */
  isHeard(node: AirNode, coordinator: Coordinator): boolean {
    if (!node.isPresent || node.place?.network.channel !== coordinator.channel) return false;
    return !node.place?.parent || this.isHeard(node.place.parent, coordinator);
  }

  /** Returns the devices that hear a group frame, whether or not they are in the group. */
  #groupHearers(coordinator: Coordinator): readonly AirNode[] {
    return this.membersOf(coordinator).filter(
      (node) => node.isAwake && this.isHeard(node, coordinator) && !this.#isLost(),
    );
  }

  /** Carries a frame over the first hop. Without end-to-end acknowledgement, a sender learns only about this hop. */
  #carry(coordinator: Coordinator, node: AirNode, carried: Carried): void {
    const parent = node.place?.parent;
    if (!parent) {
      this.#lastHop(coordinator, node, carried);
      return;
    }
    const isTaken = this.isHeard(firstHop(node), coordinator);
    carried.confirm(isTaken ? status.success : status.noAck);
    if (!this.isHeard(parent, coordinator)) return;
    this.#lastHop(coordinator, node, { ...carried, confirm: () => {} });
  }

  /** Carries a frame from the parent to the device. */
  #lastHop(coordinator: Coordinator, node: AirNode, { frame, counter, confirm }: Carried): void {
    const isHeard = this.isHeard(node, coordinator);
    if (!isHeard && !node.isSleepy) confirm(status.noAck);
    else if (!node.takes(counter)) confirm(status.success);
    else if (isHeard) arrive(node, frame, confirm);
    else node.hold(frame, confirm);
  }

  #write(kind: LoggedFrame["kind"], sent: Transmission, ends: Partial<LoggedFrame>): LoggedFrame {
    const { endpoint, profile, cluster, payload } = sent;
    const at = this.#clock.now();
    const frame = { at, kind, from: null, to: null, group: null, endpoint, profile, cluster, payload };
    const logged: LoggedFrame = { ...frame, ...ends };
    this.log.frames.push(logged);
    return logged;
  }

  #later(then: () => void): void {
    this.#clock.after(this.delayMs, then);
  }

  #disturbance(frame: LoggedFrame): Status | undefined {
    return this.#interfered(frame) ?? (this.#isLost() ? status.noAck : undefined);
  }

  #interfered(frame: LoggedFrame): Status | undefined {
    return this.interference?.(frame);
  }

  #isLost(): boolean {
    return this.lossPercent > 0 && this.#random(100) < this.lossPercent;
  }
}

/** A frame in transit, with its counter under the network key. */
interface Carried {
  readonly frame: AirFrame;
  readonly counter: number;
  readonly confirm: Confirm;
}

/** Delivers a group frame to the endpoints of a device that are in the group. */
function toGroup(node: AirNode, group: number, sent: Transmission): void {
  for (const { id } of node.device.descriptor.endpoints) {
    if (!node.device.groupsOf(id).has(group)) continue;
    node.deliver({ ...sent, endpoint: id, group, isBroadcast: false });
  }
}

/** Returns the addressed endpoint, or all endpoints of the profile. */
function endpointsFor(node: AirNode, { endpoint, profile }: Transmission): readonly number[] {
  if (endpoint !== 0xff) return [endpoint];
  const { endpoints } = node.device.descriptor;
  return endpoints.filter((other) => other.profile === profile).map(({ id }) => id);
}

function arrive(node: AirNode, frame: AirFrame, confirm: Confirm): void {
  if (!node.isAwake) {
    node.hold(frame, confirm);
    return;
  }
  confirm(status.success);
  node.deliver(frame);
}

/** Returns the node that hears the coordinator's own transmission. */
function firstHop(node: AirNode): AirNode {
  return node.place?.parent ? firstHop(node.place.parent) : node;
}
