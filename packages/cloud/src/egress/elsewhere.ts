import type { Bus, OutboxMessage } from "@ledge/fleet";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { every } from "../process/every.ts";

const topic = "egress";
const nothing = Buffer.alloc(0);

/** Outboxes that one process fills and another one reads. */
export class Elsewhere {
  readonly #bus: Pick<Bus, "publish" | "subscribe">;
  readonly #clock: Pick<Clock, "after">;
  readonly #ends: (() => void)[] = [];

  constructor(bus: Pick<Bus, "publish" | "subscribe">, clock: Pick<Clock, "after">) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Tells the process that sends that messages are in the outboxes. */
  tell(messages: readonly OutboxMessage[]): void {
    for (const site of new Set(messages.map((message) => message.topic)))
      this.#bus.publish(topic, site, nothing);
  }

  /**
   * Hears what other processes tell.
   * @param onLost called every so often, since the bus may lose what they tell
   */
  listen(onStored: (messages: readonly OutboxMessage[]) => void, onLost: () => void): void {
    this.#ends.push(
      this.#bus.subscribe(topic, (site) => onStored([{ topic: site, ref: "", body: null }])),
      every(limits.egressElsewhereMs, this.#clock, async () => onLost()),
    );
  }

  stop(): void {
    for (const end of this.#ends) end();
  }
}
