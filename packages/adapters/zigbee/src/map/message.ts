/** A device's message, as in zigbee-herdsman's `message` event. Its content is untrusted. */
export interface Message {
  /** The device's endpoint. */
  readonly endpoint: number;
  readonly cluster: string;
  /** `attributeReport`, `readResponse`, or `command` and a name, such as `commandOn`. */
  readonly type: string;
  readonly data: unknown;
}
