import type { AirFrame, Ieee } from "./air.ts";
import type { Status } from "./interference.ts";

/** What makes a network one, wherever its coordinator stands. */
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

/** A frame without what only the air knows of it. */
export type Transmission = Omit<AirFrame, "group" | "isBroadcast">;

/** What the air needs of a coordinator, and tells it. */
export interface Coordinator {
  readonly ieee: Ieee;
  /** Null while its radio is off. */
  readonly network: Network | null;
  /** Whether it lets devices join as its children. */
  readonly isOpen: boolean;
  /** Counts a frame that it secures with the network key. */
  nextFrameCounter(): number;
  /** A device asks to be let in. @returns whether there is room for it. */
  admits(ieee: Ieee, nwk: number, isChild: boolean): boolean;
  /** A device has come into the network, for the first time or again. */
  hasJoined(ieee: Ieee, nwk: number, parent: number): void;
  /** A device says that it goes. */
  hasLeft(ieee: Ieee, nwk: number, rejoins: boolean): void;
  /** A frame from a device, as `AirFrame` says. */
  received(nwk: number, frame: AirFrame, lqi: number): void;
}

/** Called once with what the sender's radio says of a frame. */
export type Confirm = (status: Status) => void;
