import assert from "node:assert/strict";
import { createDispatch } from "./dispatch.ts";
import type { Dispatch, DispatchOptions, Effect, Submission } from "./submission.ts";

type Line = string;

/** A dispatch that records its effects as lines, oldest first. */
export class Bench {
  readonly dispatch: Dispatch;
  readonly lines: Line[] = [];
  now = 0;

  constructor(options: Partial<DispatchOptions> = {}) {
    this.dispatch = createDispatch({ inFlight: () => 1, ...options });
  }

  submit(
    id: string,
    native: string,
    attributes: Record<string, unknown>,
    more: Partial<Submission> = {},
  ): this {
    const command = { type: "set", attributes } as const;
    return this.did(
      this.dispatch.submit({ id, native, radio: "air", command, absolute: true, ...more }, this.now),
    );
  }

  /** Casts the same command to several members of the group `g`, under ids `<id><native>`. */
  cast(
    id: string,
    natives: string,
    attributes: Record<string, unknown>,
    more: Partial<Submission> = {},
  ): this {
    const command = { type: "set", attributes } as const;
    const submissions = natives.split("").map((native) => ({
      id: `${id}${native}`,
      native,
      radio: "air",
      command,
      absolute: true,
      ...more,
    }));
    return this.did(this.dispatch.cast("g", submissions, this.now));
  }

  /** Answers a cast for one device. */
  answers(send: number, native: string, code?: "unreachable" | "refused"): this {
    const error = code && { code, message: code };
    return this.did(this.dispatch.answered(send, native, error, this.now));
  }

  refresh(id: string, native: string): this {
    return this.submit(id, native, {}, { command: { type: "refresh" } });
  }

  ok(send: number): this {
    return this.did(this.dispatch.outcome(send, undefined, this.now));
  }

  fails(send: number, code: "unreachable" | "refused" | "timeout" | "busy" | "asleep" = "unreachable"): this {
    return this.did(this.dispatch.outcome(send, { code, message: code }, this.now));
  }

  /** Advances to `now` and ticks whenever the dispatch asks for it. */
  until(now: number): this {
    for (let due = this.dispatch.due(); due !== undefined && due <= now; due = this.dispatch.due()) {
      assert.ok(due > this.now || due === now, `due ${due} is no later than ${this.now}`);
      this.now = due;
      this.did(this.dispatch.tick(due));
    }
    this.now = now;
    return this.did(this.dispatch.tick(now));
  }

  did(effects: readonly Effect[]): this {
    this.lines.push(...effects.map(line));
    return this;
  }

  is(...lines: Line[]): this {
    assert.deepEqual(this.lines.splice(0), lines);
    return this;
  }
}

function line(effect: Effect): Line {
  switch (effect.type) {
    case "send":
      return `send ${effect.send} ${effect.native} ${
        effect.command.type === "set" ? JSON.stringify(effect.command.attributes) : effect.command.type
      }`;
    case "cast":
      return `cast ${effect.send} ${effect.group} ${effect.natives.join()} ${JSON.stringify(
        effect.command.type === "set" && effect.command.attributes,
      )}`;
    case "cancel":
      return `cancel ${effect.send}`;
    case "settle":
      return `${effect.id} ${effect.outcome.result}${effect.outcome.result === "failed" ? ` ${effect.outcome.code}` : ""}`;
  }
}
