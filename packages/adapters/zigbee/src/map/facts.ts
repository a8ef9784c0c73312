/** Values by cluster and attribute, both in zigbee-herdsman's names. */
export type ClusterValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An endpoint: its simple descriptor, and the values read so far. */
export interface EndpointFacts {
  readonly id: number;
  readonly profile: number;
  readonly device: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** Answers to the reads of `factsToRead`; absent when the device has slept since. */
  readonly values?: ClusterValues;
}

/** A Zigbee device as its interview describes it. */
export interface NodeFacts {
  /** The EUI-64, such as `0x00124b0012345678`. */
  readonly ieee: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly type: "Router" | "EndDevice" | "GreenPower" | "Unknown";
  /** In zigbee-herdsman's words, such as `Battery` or `Mains (single phase)`. */
  readonly powerSource: string | null;
  readonly endpoints: readonly EndpointFacts[];
}
