/** Values of attributes by cluster and attribute, both as zigbee-herdsman names them. */
export type ClusterValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An endpoint by its simple descriptor, and what has been read of it so far. */
export interface EndpointFacts {
  readonly id: number;
  readonly profile: number;
  readonly device: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** What the device has said of itself, as `factsToRead` asks for it; nothing of one that has been asleep since. */
  readonly values?: ClusterValues;
}

/** A Zigbee device as its interview shows it. */
export interface NodeFacts {
  /** EUI-64 as `0x00124b0012345678`. */
  readonly ieee: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly type: "Router" | "EndDevice" | "GreenPower" | "Unknown";
  /** As zigbee-herdsman names it, such as `Battery` or `Mains (single phase)`. */
  readonly powerSource: string | null;
  readonly endpoints: readonly EndpointFacts[];
}
