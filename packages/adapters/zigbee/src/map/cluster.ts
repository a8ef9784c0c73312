import type { Capability, ConfigurationItem } from "@ledge/model";
import type { ZclAction } from "./action.ts";
import type { EndpointFacts, NodeFacts } from "./facts.ts";
import type { AttributeValues, Reporting, Unit } from "./unit.ts";
import type { Memory } from "./values.ts";

/** What came from the air: by name, of any type. */
export type Values = Readonly<Record<string, unknown>>;

/** Where values were read, or are to be written. */
export interface At extends Memory {
  readonly unit: Unit;
  readonly endpoint: EndpointFacts;
}

/** An action at one endpoint's cluster. */
export type Frame =
  | { readonly kind: "command"; readonly name: string; readonly payload: Values }
  | { readonly kind: "write"; readonly values: Values };

/** A setting that is one writable attribute of a cluster. Offered where the device has answered what it is. */
export interface ClusterSetting {
  readonly attribute: string;
  readonly item: ConfigurationItem;
  /** Of the attribute's value; undefined for one that the setting cannot have. */
  readonly from: (value: unknown) => boolean | number | string | undefined;
  readonly to: (value: boolean | number | string) => unknown;
}

/** What a ZCL cluster on a device means to the hub. One file each, or a close family, in `clusters`. */
export interface ClusterMap {
  /** As zigbee-herdsman names it. */
  readonly cluster: string;
  readonly id: number;
  /** What a device can do that has it as a server. */
  capabilities(endpoint: EndpointFacts, node: NodeFacts): readonly Capability[];
  /** What is read once, as units and scales depend on it. */
  readonly facts?: readonly string[];
  /** What is read to know how the device is. */
  state(endpoint: EndpointFacts): readonly string[];
  reporting?(endpoint: EndpointFacts): readonly Omit<Reporting, "endpoint" | "cluster">[];
  /** What values of its attributes say. */
  attributesOf?(values: Values, at: At): AttributeValues;
  /** What a command that the device sends says, by type, such as `commandStatusChangeNotification`. */
  readonly commands?: Readonly<Record<string, (payload: Values, at: At) => AttributeValues>>;
  /** What makes wanted attributes so; nothing for those of other clusters. */
  framesFor?(wanted: AttributeValues, at: At): readonly Frame[];
  readonly settings?: readonly ClusterSetting[];
}

/** An action of a frame. */
export function actionOf(frame: Frame, endpoint: number, cluster: string): ZclAction {
  return { ...frame, endpoint, cluster };
}

/** Whether an endpoint has the cluster as a server. */
export function has(endpoint: EndpointFacts, { id }: Pick<ClusterMap, "id">): boolean {
  return endpoint.input.includes(id);
}
