// What a hub has written down since one last looked, asked over the socket of the `ledge` command.
import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { type PollAnswer, PollClient } from "@ledge/testkit";
import type { LoadedHub } from "../load/hub.ts";
import { memoryOf } from "../process-memory.ts";

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

  /** Ids of what the hub has. */
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

  /** Waits for the devices of the home. @throws Error when none come */
  async devices(): Promise<void> {
    for (let left = settleTries; left > 0; left -= 1) {
      await this.look();
      if (Object.keys(this.#home.known["devices"] ?? {}).length > 20) return;
      await sleep(200);
    }
    throw new Error("the simulated home has no devices");
  }

  /** Whether the deltas came to what a full poll says. The adapters stand still from here on. */
  async addsUp(): Promise<boolean> {
    this.#hub.freezeAdapters();
    let fresh = new PollClient();
    for (let left = settleTries; left > 0; left -= 1) {
      await this.look();
      fresh = new PollClient();
      fresh.apply((await this.#hub.console("GET", "/hub/poll?ts=0")) as PollAnswer);
      if (fresh.cursor === this.#home.cursor) break;
    }
    return isDeepStrictEqual(bare(fresh.known), bare(this.#home.known));
  }

  /** Of the hub's process (MB): its own, as its log and index are files that it maps. */
  async memory(): Promise<number> {
    const { pid } = (await this.#hub.console("GET", "/console/status")) as { pid: number };
    return Math.round(memoryOf(pid, "RssAnon") / 1e5) / 10;
  }
}

/** When a device was last heard of is told with its next change. */
function bare(known: PollClient["known"]): unknown {
  return JSON.parse(JSON.stringify(known, (name, value: unknown) => (name === "lastSeen" ? null : value)));
}
