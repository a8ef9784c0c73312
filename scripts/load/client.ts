// A client that polls, applies the answers and checks them.
import assert from "node:assert/strict";
import { type PollAnswer, PollClient } from "@ledge/testkit";
import type { Caller } from "./caller.ts";
import type { Tally } from "./tally.ts";

export class LoadClient {
  readonly caller: Caller;
  readonly #tally: Tally;
  readonly #home: PollClient = new PollClient();

  constructor(caller: Caller, tally: Tally) {
    this.caller = caller;
    this.#tally = tally;
  }

  /**
   * Polls once with its cursor. Returns whether there were changes. Reports problems to the tally.
   * @param kind the kind under which the tally counts it
   */
  async poll(kind?: "check"): Promise<boolean> {
    const { cursor } = this.#home;
    let news = false;
    await this.#tally.take(kind ?? (cursor === 0 ? "full" : "poll"), async () => {
      const called = await this.caller.call("GET", `/cc/1.14/hub/poll?ts=${cursor}`);
      assert.equal(called.status, 200, called.text);
      const answer = JSON.parse(called.text) as PollAnswer;
      assert.ok(answer.timestamp >= cursor, `the cursor went back from ${cursor} to ${answer.timestamp}`);
      assert.ok(cursor === 0 || !answer.full, "a full answer although nothing was lost");
      this.#home.apply(answer);
      news = answer.polls.length > 0;
      return called.ms;
    });
    return news;
  }

  /** The timestamp of the last poll (ms). */
  get cursor(): number {
    return this.#home.cursor;
  }

  /**
   * The home as the client knows it, without the times when devices were last heard of, which are reported only
   * with the next change.
   */
  get known(): unknown {
    const { devices = {}, ...others } = this.#home.known;
    const bare = Object.entries(devices).map(([id, device]) => {
      const { state, ...rest } = device as { state: object };
      return [id, { ...rest, state: { ...state, lastSeen: null } }];
    });
    return { ...others, devices: Object.fromEntries(bare) as unknown };
  }
}
