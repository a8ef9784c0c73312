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

/** What a definition's own converter does: `KnownModel.set` carries it out. */
export interface ConvertAction {
  readonly kind: "convert";
  /** Under which the definition sets it, such as `current_heating_setpoint`, and the endpoint's name there. */
  readonly key: string;
  readonly endpointName: string | null;
  readonly value: unknown;
}

/** Actions are done in their order; the first that fails ends the command. */
export type DeviceAction = ZclAction | ConvertAction;
