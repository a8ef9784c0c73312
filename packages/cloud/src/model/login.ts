import { defineEvent, type EventOf, limits, reject, telemetry } from "@ledge/model";
import Type from "typebox";
import { isSameDigest } from "./digest.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/**
 * Somebody is about to log in with a one-time password. Its id is a keyed digest of the address, so that asking for
 * passwords of addresses that have no account leaves neither address nor account behind.
 */
export interface Login {
  readonly id: string;
  /** Keyed digest of the password; null once it was given, as it counts once. */
  readonly digest: string | null;
  /** Which attempt gave the password; null before one has. */
  readonly attempt: string | null;
  readonly triesLeft: number;
  /** ms since the epoch. */
  readonly expires: number;
}

export type LoginCommand =
  /** A further one takes the place of the one before. */
  | { type: "REQUEST_LOGIN"; id: string; digest: string }
  /**
   * Counts against the password, and only then compares: attempts are decided one after the other, so that many at
   * once are no more than many in a row. The state afterwards says which attempt gave it.
   */
  | { type: "TRY_LOGIN"; id: string; digest: string; attempt: string }
  /** Stands before what the attempt leads to, in the same submission. */
  | { type: "END_LOGIN"; id: string; attempt: string };

/** Each says all of the state: what came before it may go with age. */
const LoginRequested = telemetry(
  defineEvent("LoginRequested", 1, {
    digest: Type.String(),
    triesLeft: Type.Integer(),
    expires: Type.Integer(),
  }),
);
const LoginFailed = telemetry(
  defineEvent("LoginFailed", 1, {
    digest: Type.String(),
    triesLeft: Type.Integer(),
    expires: Type.Integer(),
  }),
);
const LoginProven = telemetry(
  defineEvent("LoginProven", 1, { attempt: Type.String(), expires: Type.Integer() }),
);
const LoginEnded = telemetry(defineEvent("LoginEnded", 1, {}));

export type LoginEvent =
  | EventOf<typeof LoginRequested>
  | EventOf<typeof LoginFailed>
  | EventOf<typeof LoginProven>
  | EventOf<typeof LoginEnded>;

export const login: CloudDecider<Login, LoginCommand, LoginEvent> = {
  kind: "login",
  commands: ["REQUEST_LOGIN", "TRY_LOGIN", "END_LOGIN"],
  events: [LoginRequested, LoginFailed, LoginProven, LoginEnded],

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    switch (command.type) {
      case "REQUEST_LOGIN": {
        const ended = expired(id, world);
        if (state === undefined && world.size("login") - ended.length >= limits.loginsPending)
          return reject("wrong-state", "too many are logging in: try again later");
        const expires = world.now + limits.loginMs;
        const triesLeft = limits.loginTries;
        return [...ended, { type: "LoginRequested", id, digest: command.digest, triesLeft, expires }];
      }
      case "TRY_LOGIN": {
        if (state === undefined || state.digest === null || state.expires <= world.now) return [];
        const { digest, expires } = state;
        if (isSameDigest(digest, command.digest))
          return [{ type: "LoginProven", id, attempt: command.attempt, expires }];
        const triesLeft = state.triesLeft - 1;
        return [triesLeft > 0 ? { type: "LoginFailed", id, digest, triesLeft, expires } : endOf(id)];
      }
      case "END_LOGIN":
        if (state?.attempt !== command.attempt) return reject("forbidden", "this attempt gave no password");
        return [endOf(id)];
    }
  },

  evolve(_state, event) {
    switch (event.type) {
      case "LoginRequested":
      case "LoginFailed": {
        const { id, digest, triesLeft, expires } = event;
        return { id, digest, attempt: null, triesLeft, expires };
      }
      case "LoginProven": {
        const { id, attempt, expires } = event;
        return { id, digest: null, attempt, triesLeft: 0, expires };
      }
      case "LoginEnded":
        return undefined;
    }
  },
};

/** Each request takes some away that came to nothing, so that they do not pile up. */
function expired(but: string, world: CloudWorld): LoginEvent[] {
  const ended: LoginEvent[] = [];
  let looked = 0;
  for (const [id, { expires }] of world.all("login")) {
    if (id !== but && expires <= world.now) ended.push(endOf(id));
    if (++looked === limits.loginsSwept) break;
  }
  return ended;
}

function endOf(id: string): LoginEvent {
  return { type: "LoginEnded", id };
}
