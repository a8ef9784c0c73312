/** A change by the definition's own converter. */
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
