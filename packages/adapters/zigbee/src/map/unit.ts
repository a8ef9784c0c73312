import type { Capability, DeviceClass } from "@ledge/model";
import type { ZclRead } from "./action.ts";
import type { EndpointFacts } from "./facts.ts";
import type { KnownFeatures } from "./known-features.ts";

/** One device of the hub: a Zigbee device, or one of its separately switched parts. */
export interface Unit {
  /** `<ieee>`, or `<ieee>/<endpoint>` for further parts. */
  readonly native: string;
  readonly class: DeviceClass;
  readonly capabilities: readonly Capability[];
  /** The attributes that its capabilities allow it to report. */
  readonly shown: ReadonlySet<string>;
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** `buttons` of a remote control. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** Its endpoints, main one first. */
  readonly endpoints: readonly EndpointFacts[];
  /** The standard clusters that report for it. */
  readonly served: readonly { readonly endpoint: EndpointFacts; readonly cluster: string }[];
  readonly setup: UnitSetup;
  /** What a definition knows about it. */
  readonly known?: KnownFeatures;
}

/** What to set up once, after a device has joined, so that it reports its changes. */
export interface UnitSetup {
  /** Bindings to the coordinator's endpoint 1. */
  readonly bindings: readonly Binding[];
  readonly reporting: readonly Reporting[];
  /** Reads after joining, after a restart and on `refresh`. */
  readonly reads: readonly ZclRead[];
  /** Reads at intervals of what the standard does not let devices report. */
  readonly polls: readonly ZclRead[];
  /** Endpoints whose IAS zone must be enrolled. */
  readonly zones: readonly number[];
}

export interface Binding {
  readonly endpoint: number;
  readonly cluster: string;
}

/** Configure Reporting of one attribute. `change` is in the attribute's unit, 0 when it has none. */
export interface Reporting extends Binding {
  readonly attribute: string;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  readonly change: number;
}
