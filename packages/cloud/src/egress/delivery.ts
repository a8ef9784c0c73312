import type { OutboxMessage } from "@ledge/fleet";
import type { Kernel } from "@ledge/kernel";
import { type EgressEvent, egressEvents } from "../model/egress-events.ts";
import type { EgressTarget } from "../model/egress-state.ts";
import { named } from "../model/resource-id.ts";
import type { CloudStates } from "../model/states.ts";
import { Lane, type LaneHost, readersOf } from "./lane.ts";
import { Places } from "./places.ts";

export interface DeliveryOptions extends Omit<LaneHost, "places" | "targetOf"> {
  readonly kernel: Pick<Kernel<CloudStates>, "all" | "get" | "subscribe">;
}

const types: ReadonlySet<string> = new Set(egressEvents.map(({ type }) => type));
/** Events after which a target that rests is tried at once: a person has done something about it. */
const changing: ReadonlySet<string> = new Set<EgressEvent["type"]>([
  "EgressTargetUpdated",
  "EgressReplayAsked",
]);

/** Sends the events of sites to their targets, to each target on its own. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #host: LaneHost;
  /** By site, then by the id of the target. */
  readonly #lanes = new Map<string, Map<string, Lane>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { kernel } = options;
    const places = new Places();
    const targetOf = (siteId: string, targetId: string): EgressTarget | undefined => {
      const target = named(kernel.get("egress", siteId)?.targets ?? {}, targetId);
      return target !== undefined && isServed(target) ? target : undefined;
    };
    this.#host = { ...options, places, targetOf };
    for (const [siteId] of kernel.all("egress")) this.#update(siteId);
    this.#unsubscribe = kernel.subscribe({
      published: ({ events }) => {
        const sites = new Set(events.filter(({ type }) => types.has(type)).map(({ id }) => id));
        for (const siteId of sites) this.#update(siteId);
        for (const event of events)
          if (changing.has(event.type)) this.#lanes.get(event.id)?.get(targetIn(event))?.changed();
      },
    });
  }

  /** How many targets are served, and how many of them fail. */
  get counts(): { readonly served: number; readonly failing: number } {
    const lanes = [...this.#lanes.values()].flatMap((ofSite) => [...ofSite.values()]);
    return { served: lanes.length, failing: lanes.filter(({ isFailing }) => isFailing).length };
  }

  /** Tells that messages are in the outboxes. */
  poke(messages: readonly OutboxMessage[]): void {
    const counts = new Map<string, number>();
    for (const { topic } of messages) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    for (const [siteId, count] of counts)
      for (const lane of this.#lanes.get(siteId)?.values() ?? []) lane.poke(count);
  }

  /** Tells that messages may be in any outbox. */
  pokeAll(): void {
    for (const lanes of this.#lanes.values()) for (const lane of lanes.values()) lane.poke(1);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    for (const lanes of this.#lanes.values()) for (const lane of lanes.values()) this.#endLane(lane);
    this.#lanes.clear();
    await Promise.all(this.#ending);
  }

  /** Has a lane for each target that is served, and for no other. */
  #update(siteId: string): void {
    const targets = Object.values(this.#options.kernel.get("egress", siteId)?.targets ?? {});
    const served = new Set(targets.filter(isServed).map(({ id }) => id));
    const lanes = this.#lanes.get(siteId) ?? new Map<string, Lane>();
    for (const [id, lane] of lanes) {
      if (served.has(id)) continue;
      lanes.delete(id);
      this.#endLane(lane, targets.some((target) => target.id === id) ? [] : readersOf(siteId, id));
    }
    for (const id of served) if (!lanes.has(id)) lanes.set(id, new Lane(siteId, id, this.#host));
    if (lanes.size > 0) this.#lanes.set(siteId, lanes);
    else this.#lanes.delete(siteId);
  }

  /** @param readers the places of a target that is gone, to be forgotten */
  #endLane(lane: Lane, readers: readonly string[] = []): void {
    const { store, logger } = this.#options;
    const end = async (): Promise<void> => {
      await lane.stop();
      for (const reader of readers) await store.moveCursor(reader, await store.positionOf(reader), 0);
    };
    const settled = end()
      .catch((error: unknown) => logger.warn({ error }, "the place of an egress target could not be deleted"))
      .finally(() => this.#ending.delete(settled));
    this.#ending.add(settled);
  }
}

function targetIn(event: object): string {
  return (event as { readonly targetId: string }).targetId;
}

/** Whether a target gets events. A target that is sealed under a key that is missing cannot. */
function isServed({ isEnabled, settings }: EgressTarget): boolean {
  return isEnabled && typeof settings.url === "string";
}
