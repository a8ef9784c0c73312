import type { ConvertAction } from "@ledge/exposes";

/** A ZCL frame to one endpoint, by the names of zigbee-herdsman. */
export type ZclAction =
  | {
      readonly kind: "command";
      readonly endpoint: number;
      readonly cluster: string;
      readonly name: string;
      readonly payload: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: "write";
      readonly endpoint: number;
      readonly cluster: string;
      readonly values: Readonly<Record<string, unknown>>;
    }
  | ZclRead;

export interface ZclRead {
  readonly kind: "read";
  readonly endpoint: number;
  readonly cluster: string;
  readonly attributes: readonly string[];
}

/** Actions run in order; the first failure ends the command. */
export type DeviceAction = ZclAction | ConvertAction;
