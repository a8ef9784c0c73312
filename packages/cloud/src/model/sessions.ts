import { defineEvent, type EventOf, limits, reject } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider } from "./states.ts";
import { isAccount } from "./account.ts";

/** The sessions of an account, with its id. A session lives as long as its cloud token. */
export interface Sessions {
  readonly id: string;
  /** Oldest first. */
  readonly sessions: readonly Session[];
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    sessions: Sessions;
  }
}

export interface Session {
  /** `jti` of its token. */
  readonly jti: string;
  /** ms since the epoch. */
  readonly issued: number;
  readonly expires: number;
}

export type SessionCommand =
  /** `from`: `jti` of the live session that starts this one, and that stays */
  | { type: "START_SESSION"; id: string; jti: string; from?: string }
  | { type: "END_SESSION"; id: string; jti: string }
  | { type: "END_SESSIONS"; id: string };

const SessionStarted = defineEvent("SessionStarted", 1, { jti: Type.String(), expires: Type.Integer() });
const SessionEnded = defineEvent("SessionEnded", 1, { jti: Type.String() });

export type SessionEvent = EventOf<typeof SessionStarted> | EventOf<typeof SessionEnded>;

export const sessions: CloudDecider<Sessions, SessionCommand, SessionEvent> = {
  kind: "sessions",
  commands: ["START_SESSION", "END_SESSION", "END_SESSIONS"],
  events: [SessionStarted, SessionEnded],

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    const held = state?.sessions ?? [];
    const ended = (gone: readonly Session[]): SessionEvent[] =>
      gone.map(({ jti }) => ({ type: "SessionEnded", id, jti }));
    switch (command.type) {
      case "START_SESSION": {
        const { jti, from } = command;
        if (!isAccount(id, world)) return reject("not-found", `no account ${id}`, "id");
        if (from !== undefined && liveSession(state, from, world.now) === undefined)
          return reject("forbidden", "this session has ended");
        if (held.some((session) => session.jti === jti))
          return reject("wrong-state", `session ${jti} has already started`, "jti");
        const live = held.filter(({ expires }) => expires > world.now);
        const gone = held.filter(({ expires }) => expires <= world.now);
        const tooMany = live.slice(0, Math.max(0, live.length + 1 - limits.sessionsPerAccount));
        const expires = world.now + limits.cloudTokenMs;
        return [...ended([...gone, ...tooMany]), { type: "SessionStarted", id, jti, expires }];
      }
      case "END_SESSION":
        return ended(held.filter(({ jti }) => jti === command.jti));
      case "END_SESSIONS":
        return ended(held);
    }
  },

  evolve(state, event, timestamp) {
    const { id, jti } = event;
    const others = (state?.sessions ?? []).filter((session) => session.jti !== jti);
    if (event.type === "SessionStarted") {
      const started = { jti, issued: timestamp, expires: event.expires };
      return { id, sessions: [...others, started], timestamp };
    }
    return others.length === 0 ? undefined : { id, sessions: others, timestamp };
  },
};

/** Returns a session that has neither ended nor expired at `now` (ms). */
export function liveSession(state: Sessions | undefined, jti: string, now: number): Session | undefined {
  return state?.sessions.find((session) => session.jti === jti && session.expires > now);
}
