/** What a device says, as zigbee-herdsman's `message` event has it. Nothing of it can be trusted. */
export interface Message {
  /** Endpoint of the device. */
  readonly endpoint: number;
  readonly cluster: string;
  /** `attributeReport`, `readResponse`, or `command` and a name, such as `commandOn`. */
  readonly type: string;
  readonly data: unknown;
}
