import type { Capability } from "@ledge/model";
import type { AttributeValues, Memory, Values } from "@ledge/exposes";
import type { ZclAction } from "./action.ts";
import type { EndpointFacts, NodeFacts } from "./facts.ts";
import type { ClusterSetting } from "./setting.ts";
import type { Reporting, Unit } from "./unit.ts";

/** The unit and endpoint where values were read or will be written. */
export interface At extends Memory {
  readonly unit: Unit;
  readonly endpoint: EndpointFacts;
}

/** An action at one cluster of an endpoint. */
export type Frame =
  | { readonly kind: "command"; readonly name: string; readonly payload: Values }
  | { readonly kind: "write"; readonly values: Values };

/** An attribute that only some devices of a cluster have. */
export interface OptionalAttribute {
  readonly attribute: string;
  /** What a device with the attribute shows; none for a scale or an ability. */
  readonly capability?: Capability;
  /** How it is reported; none where the standard does not let it be reported, so that it is read at intervals. */
  readonly reporting?: Pick<Reporting, "minSeconds" | "maxSeconds" | "change">;
}

/** Maps a ZCL cluster of a device to the hub. The files in `clusters` each hold one, or a close family. */
export interface ClusterMap {
  /** Its zigbee-herdsman name. */
  readonly cluster: string;
  readonly id: number;
  /** Returns the capabilities of a device with this server cluster. */
  capabilities(endpoint: EndpointFacts, node: NodeFacts): readonly Capability[];
  /**
   * Returns what a device without a definition shows besides, because several of its endpoints with the cluster may each
   * measure a part of the same, such as a phase. Undefined when the first endpoint alone counts, as it does by default.
   */
  ofSeveral?(endpoints: readonly EndpointFacts[]): readonly Capability[] | undefined;
  /** Attributes read once, because units and scales depend on them. */
  readonly facts?: readonly string[];
  /**
   * Attributes that only some devices have. A device without a definition is asked for them once; those that it
   * has are read and reported like the others.
   */
  optional?(endpoint: EndpointFacts): readonly OptionalAttribute[];
  /** Attributes read to learn the device's state. */
  state(endpoint: EndpointFacts): readonly string[];
  /** Attributes of the state that the standard does not let be reported. */
  readonly unreported?: readonly string[];
  reporting?(endpoint: EndpointFacts): readonly Omit<Reporting, "endpoint" | "cluster">[];
  /** Returns the hub's attributes for values of the cluster. */
  attributesOf?(values: Values, at: At): AttributeValues;
  /** Handlers for the commands that a device sends, by type, such as `commandStatusChangeNotification`. */
  readonly commands?: Readonly<Record<string, (payload: Values, at: At) => AttributeValues>>;
  /** Returns the frames that set the wanted attributes; none for attributes of other clusters. */
  framesFor?(wanted: AttributeValues, at: At): readonly Frame[];
  readonly settings?: readonly ClusterSetting[];
}

/** Makes an action of a frame. */
export function actionOf(frame: Frame, endpoint: number, cluster: string): ZclAction {
  return { ...frame, endpoint, cluster };
}

/** Whether an endpoint has the server cluster. */
export function has(endpoint: EndpointFacts, { id }: Pick<ClusterMap, "id">): boolean {
  return endpoint.input.includes(id);
}
