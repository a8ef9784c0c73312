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

/** A change by the definition's own converter, carried out by `KnownModel.set`. */
export interface ConvertAction {
  readonly kind: "convert";
  /**
   * The definition's name of the setting, such as `current_heating_setpoint`, and the name of its endpoint
   * there.
   */
  readonly key: string;
  readonly endpointName: string | null;
  readonly value: unknown;
}

/** Actions run in order; the first failure ends the command. */
export type DeviceAction = ZclAction | ConvertAction;
