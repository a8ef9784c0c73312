import type { Ieee } from "./air.ts";
import type { LineFaults } from "../serial/line-faults.ts";
import type { PluggableStick } from "../serial/serve.ts";
import type { Network } from "./network.ts";
import type { SimulatedAir } from "./simulated-air.ts";

/** The protocols of simulated sticks, by the names of the Zigbee adapter's settings. */
export type SimulatedKind = "zstack" | "ember" | "deconz";

/** The non-volatile memory of a stick as plain data: hex by name. The names depend on the kind of stick. */
export type StickImage = Readonly<Record<string, string>>;

export interface CoordinatorStickOptions {
  readonly air: SimulatedAir;
  /** An image from `save`; by default the stick is in factory state. */
  readonly nvram?: StickImage;
  /** The maker's address of a stick in factory state. */
  readonly ieee?: Ieee;
  /** The speed of its serial line, such as 115200; by default bytes take no time. */
  readonly baudRate?: number;
}

/** A simulated stick of any kind, as seen by whoever plugs it in. */
export interface CoordinatorStick extends PluggableStick {
  readonly kind: SimulatedKind;
  /** Faults of its serial line. */
  readonly faults: LineFaults;
  readonly ieee: Ieee;
  /** The running network, or null. */
  readonly network: Network | null;
  /** Transmit power in dBm; null without power. */
  readonly txPower: number | null;
  /** Whether devices may join its network. */
  readonly isOpen: boolean;
  /** Returns the content of its memory, for another stick of its kind or for the same after a power cycle. */
  save(): StickImage;
}
