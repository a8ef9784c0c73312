/**
 * Carries news between the parts of a platform, and between its processes. Delivery is at most once: a message
 * may be lost, so a receiver reads the truth from the store. Implementations pass the suite of
 * `@ledge/fleet/contract`.
 */
export interface Bus {
  /**
   * Publishes a message to the present subscribers of a topic. While a message waits for a subscriber, a newer
   * one with the same key replaces it.
   * @param bytes or a function that returns them: a bus that sees all subscribers does not call it without one
   */
  publish(topic: string, key: string, bytes: Uint8Array | (() => Uint8Array)): void;

  /**
   * Subscribes to a topic. Messages come one after the other, in the order in which their keys were first
   * published; the next one waits until the promise of the handler has settled. What a handler throws ends at
   * `onError` of the bus.
   * @returns a function that unsubscribes
   */
  subscribe(topic: string, handle: (key: string, bytes: Uint8Array) => void | Promise<void>): () => void;

  /**
   * Asks the server of a topic.
   * @param options.timeoutMs default `limits.busAnswerMs`
   * @throws BusError `no-server`, `timeout`, or `failed` when the server throws
   */
  request(topic: string, bytes: Uint8Array, options?: { readonly timeoutMs?: number }): Promise<Uint8Array>;

  /**
   * Serves the requests of a topic. The newest server of a topic gets them.
   * @returns a function that ends the service
   */
  serve(topic: string, answer: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>): () => void;

  close(): Promise<void>;
}

export class BusError extends Error {
  override readonly name = "BusError";
  readonly code: "no-server" | "timeout" | "failed" | "closed";
  constructor(code: BusError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
