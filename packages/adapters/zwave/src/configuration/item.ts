import type { ConfigurationItem, ConfigurationValue } from "@ledge/model";
import { limits } from "@ledge/model";

/** A setting of a node: what the hub shows of it, and how it is changed. */
export interface NodeSetting {
  readonly item: ConfigurationItem;
  readonly endpoint: number;
  /** Absent while nobody knows it. */
  readonly value: ConfigurationValue | undefined;
  /** Returns why the device cannot take a value; undefined when it can. */
  readonly problem: (value: ConfigurationValue) => string | undefined;
  /** Sets a value and returns what the device keeps; undefined when it cannot be read. @throws AdapterError */
  readonly set: (value: ConfigurationValue) => Promise<ConfigurationValue | undefined>;
}

/** Returns the name of a setting of an endpoint; the root endpoint has plain names. */
export function nameAt(endpoint: number, name: string): string {
  return endpoint === 0 ? name : `endpoint${endpoint}.${name}`;
}

/** Returns a text of the device database, cut to what a setting may have; undefined for an empty one. */
export function textOf(said: string | undefined): string | undefined {
  const text = (said ?? "").replaceAll(/\s+/g, " ").trim();
  return text === "" ? undefined : text.slice(0, limits.configurationTextChars);
}
