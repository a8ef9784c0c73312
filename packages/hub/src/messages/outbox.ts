import type { MessageWay } from "@ledge/model";
import { messageChannels, targetOf, wayTo } from "@ledge/model";
import type { Channel } from "./channel.ts";
import type { Channels } from "./channels.ts";
import { Lane } from "./lane.ts";
import type { OutboxHost } from "./outbox-host.ts";

/** Returns the channel of the target with this id. */
export type TargetChannel = (target: string) => Channel;

/**
 * Sends the messages that the log has queued, on each channel independently. It follows the log: messages that
 * a stop left are sent after the next start, unless they are too old by then. A message that was taken just
 * before the hub died is sent again.
 */
export class Outbox {
  readonly #host: OutboxHost;
  readonly #lanes: Map<MessageWay, Lane>;
  readonly #channelOf: TargetChannel;
  #unsubscribe: () => void = () => {};

  constructor(host: OutboxHost, channels: Channels, channelOf: TargetChannel) {
    this.#host = host;
    this.#channelOf = channelOf;
    this.#lanes = new Map(messageChannels.map((name) => [name, new Lane(name, channels[name], host)]));
  }

  start(): void {
    const { kernel } = this.#host;
    for (const [id, { channels }] of kernel.all("message")) this.#add(id, channels);
    this.#unsubscribe = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) {
          if (type === "MessageQueued") this.#add(id, kernel.get("message", id)?.channels ?? []);
          if (type === "MessageTargetSet" || type === "MessageTargetRemoved")
            this.#lanes.get(wayTo(id))?.wake();
        }
      },
    });
  }

  /** Stops sending. Waits for the current send; the rest is sent after the next start. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  #add(id: string, ways: readonly MessageWay[]): void {
    for (const way of ways) this.#laneOf(way)?.add(id);
  }

  #laneOf(way: MessageWay): Lane | undefined {
    const target = targetOf(way);
    const lane = this.#lanes.get(way);
    if (lane !== undefined || target === undefined) return lane;
    const made = new Lane(way, this.#channelOf(target), this.#host);
    this.#forgetIdle();
    this.#lanes.set(way, made);
    return made;
  }

  /** Forgets the lanes of targets that are gone and have nothing left to send. */
  #forgetIdle(): void {
    for (const [way, lane] of this.#lanes) {
      const target = targetOf(way);
      const isGone = target !== undefined && this.#host.kernel.get("messageTarget", target) === undefined;
      if (isGone && lane.isIdle) this.#lanes.delete(way);
    }
  }
}
