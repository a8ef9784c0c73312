import type { AirFrame, Ieee, InterPanFrame } from "./air.ts";
import type { Status } from "./interference.ts";

/** The parameters of a network, whichever stick runs it. */
export interface Network {
  readonly panId: number;
  /** In hex, most significant byte first. */
  readonly extendedPanId: string;
  /** The network key, in hex. */
  readonly key: string;
  readonly channel: number;
}

export function isSameNetwork(one: Network, other: Network): boolean {
  return one.extendedPanId === other.extendedPanId && one.key === other.key;
}

/** A frame without the fields that only the air knows. */
export type Transmission = Omit<AirFrame, "group" | "isBroadcast" | "peer">;

/** A radio that can exchange frames outside of its network. */
export interface InterPanRadio {
  /** The channel that its receiver is on; null while the radio is off. */
  readonly channel: number | null;
  /** Called with an inter-PAN frame from a device. */
  receivedInterPan(frame: InterPanFrame, lqi: number): void;
}

/** The air's interface to a coordinator. */
export interface Coordinator extends InterPanRadio {
  readonly ieee: Ieee;
  /** Null while its radio is off. */
  readonly network: Network | null;
  /** Whether devices can join as its children. */
  readonly isOpen: boolean;
  /** Returns the counter for the next frame secured with the network key. */
  nextFrameCounter(): number;
  /** Install codes that the host has given, in hex with the CRC, by device. */
  readonly installCodes: ReadonlyMap<Ieee, string>;
  /**
   * Asks whether a device may join.
   * @returns whether there is room for it.
   */
  admits(ieee: Ieee, nwk: number, isChild: boolean): boolean;
  /** Called when a device has joined the network, for the first time or again. */
  hasJoined(ieee: Ieee, nwk: number, parent: number): void;
  /** Called when a device announces that it leaves. */
  hasLeft(ieee: Ieee, nwk: number, rejoins: boolean): void;
  /** Called with a frame from a device, see `AirFrame`. */
  received(nwk: number, frame: AirFrame, lqi: number): void;
}

/** Called once with the status that the sender's radio gets for a frame. */
export type Confirm = (status: Status) => void;
