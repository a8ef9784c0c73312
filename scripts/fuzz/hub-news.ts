// Reads what a hub has logged since the last look, over the socket of the `ledge` command.
import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { type PollAnswer, PollClient } from "@ledge/testkit";
import type { LoadedHub } from "../load/hub.ts";

export interface News {
  /** Whether objects have changed. */
  readonly changed: boolean;
  readonly events: readonly LoggedEvent[];
}

export interface LoggedEvent {
  readonly type: string;
  readonly cause?: string;
}

const settleTries = 100;

export class HubNews {
  readonly #hub: LoadedHub;
  readonly #home = new PollClient();

  constructor(hub: LoadedHub) {
    this.#hub = hub;
  }

  /** The ids of the hub's objects. */
  get ids(): readonly string[] {
    return Object.values(this.#home.known).flatMap((objects) => Object.keys(objects));
  }

  async look(): Promise<News> {
    const { cursor } = this.#home;
    const answer = (await this.#hub.console("GET", `/hub/poll?ts=${cursor}`)) as PollAnswer;
    this.#home.apply(answer);
    const changed = answer.polls.length > 0;
    if (answer.timestamp === cursor) return { changed, events: [] };
    const found = await this.#hub.console("GET", `/console/events?after=${cursor}-999999999`);
    return { changed, events: (found as { event: LoggedEvent }[]).map(({ event }) => event) };
  }

  /**
   * Waits for the devices of the home.
   * @throws Error when none appear
   */
  async devices(): Promise<void> {
    for (let left = settleTries; left > 0; left -= 1) {
      await this.look();
      if (Object.keys(this.#home.known["devices"] ?? {}).length > 20) return;
      await sleep(200);
    }
    throw new Error("the simulated home has no devices");
  }

  /**
   * Compares the sum of all deltas with a full poll. Freezes the adapters for good.
   * @returns what is wrong
   */
  async problems(): Promise<readonly string[]> {
    this.#hub.freezeAdapters();
    let fresh = new PollClient();
    for (let left = settleTries; left > 0; left -= 1) {
      await this.look();
      fresh = new PollClient();
      fresh.apply((await this.#hub.console("GET", "/hub/poll?ts=0")) as PollAnswer);
      if (fresh.cursor === this.#home.cursor) break;
    }
    const addsUp = isDeepStrictEqual(bare(fresh.known), bare(this.#home.known));
    return addsUp ? [] : ["the deltas do not add up to a full poll"];
  }
}

/** Removes the times when devices were last heard of, which are reported only with the next change. */
function bare(known: PollClient["known"]): unknown {
  return JSON.parse(JSON.stringify(known, (name, value: unknown) => (name === "lastSeen" ? null : value)));
}
