import type { MessageChannel } from "@ledge/model";
import { messageChannels } from "@ledge/model";
import type { Channels } from "./channels.ts";
import { Lane } from "./lane.ts";
import type { OutboxHost } from "./outbox-host.ts";

/**
 * Sends the messages that the log has queued, on each channel independently. It follows the log: messages that
 * a stop left are sent after the next start, unless they are too old by then. A message that was taken just
 * before the hub died is sent again.
 */
export class Outbox {
  readonly #host: OutboxHost;
  readonly #lanes: ReadonlyMap<MessageChannel, Lane>;
  #unsubscribe: () => void = () => {};

  constructor(host: OutboxHost, channels: Channels) {
    this.#host = host;
    this.#lanes = new Map(messageChannels.map((name) => [name, new Lane(name, channels[name], host)]));
  }

  start(): void {
    const { kernel } = this.#host;
    for (const [id, { channels }] of kernel.all("message")) this.#add(id, channels);
    this.#unsubscribe = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) {
          if (type === "MessageQueued") this.#add(id, kernel.get("message", id)?.channels ?? []);
        }
      },
    });
  }

  /** Stops sending. Waits for the current send; the rest is sent after the next start. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  #add(id: string, channels: readonly MessageChannel[]): void {
    for (const name of channels) this.#lanes.get(name)?.add(id);
  }
}
