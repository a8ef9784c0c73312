import type { Random } from "../random.ts";
import type { Clock } from "../clock.ts";
import type { AirNode } from "./air-node.ts";
import type { AirChannel } from "./channel/channel.ts";
import { status } from "./frame-status.ts";
import type { Status } from "./interference.ts";

/** nwkMaxBroadcastJitter, nwkPassiveAckTimeout (ms) and nwkMaxBroadcastRetries (Zigbee specification, 3.5.2). */
const jitterMs = 64;
const passiveAckMs = 500;
const retries = 2;

/** The air through which a broadcast spreads. */
export interface FloodAir {
  readonly channel: AirChannel;
  readonly clock: Clock;
  readonly random: Random;
  /** The coordinator stands for itself, devices for theirs. */
  readonly coordinator: object;
  /** The devices of the network. */
  readonly members: readonly AirNode[];
  /** Whether a device receives a frame from its surroundings now. */
  readonly receives: (node: AirNode) => boolean;
}

/**
 * Spreads a frame through the network (Zigbee specification, 3.6.6): every router that hears it passes it on once,
 * after a random time, and again if some neighbour has not. A radio hears its parent, its children and the
 * children of its parent.
 */
export class Flood {
  readonly #air: FloodAir;
  readonly #octets: number;
  /** Called once for each device that hears the frame. */
  readonly #heard: (node: AirNode) => void;
  /** Called once when the coordinator hears it. */
  readonly #heardByCoordinator: () => void;
  /** Who has heard it; null stands for the coordinator. */
  readonly #hearers = new Set<AirNode | null>();

  constructor(
    air: FloodAir,
    octets: number,
    heard: (node: AirNode) => void,
    heardByCoordinator: () => void = () => {},
  ) {
    this.#air = air;
    this.#octets = octets;
    this.#heard = heard;
    this.#heardByCoordinator = heardByCoordinator;
  }

  /**
   * @param origin null for the coordinator
   * @param sent gets the status of the first transmission
   */
  begin(origin: AirNode | null, sent: (status: Status) => void): void {
    this.#hearers.add(origin);
    this.#transmit(origin, false, retries, sent);
  }

  #transmit(from: AirNode | null, isRelayed: boolean, left: number, sent: (status: Status) => void): void {
    const { channel, clock, coordinator } = this.#air;
    channel.broadcast({ sender: from ?? coordinator, octets: this.#octets, isRelayed }, (code) => {
      sent(code === status.noAck ? status.success : code);
      const isOut = code === status.success;
      const neighbours = this.#neighboursOf(from);
      if (isOut) for (const node of neighbours) this.#arrive(node);
      const isMissed = neighbours.some((node) => (node?.isRouter ?? true) && !this.#hearers.has(node));
      const again = (): void => this.#transmit(from, true, left - 1, () => {});
      if (left > 0 && isMissed) clock.after(passiveAckMs, again);
    });
  }

  #arrive(node: AirNode | null): void {
    if (this.#hearers.has(node) || (node && !this.#air.receives(node))) return;
    this.#hearers.add(node);
    if (node) this.#heard(node);
    else this.#heardByCoordinator();
    if (node && !node.isRouter) return;
    const relay = (): void => this.#transmit(node, true, retries, () => {});
    this.#air.clock.after(this.#air.random(jitterMs), relay);
  }

  #neighboursOf(from: AirNode | null): readonly (AirNode | null)[] {
    const { members } = this.#air;
    if (from === null) return members.filter(({ place }) => place?.parent === null);
    const parent = from.place?.parent ?? null;
    const beside = members.filter(
      (node) => node !== from && (node.place?.parent === from || (node.place?.parent ?? null) === parent),
    );
    return [...beside, parent];
  }
}
