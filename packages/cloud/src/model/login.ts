import { defineEvent, type EventOf, limits, reject, telemetry } from "@ledge/model";
import Type from "typebox";
import { isSameDigest } from "./digest.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** A mailed password. All digests are keyed. */
const Mailed = Type.Object({
  digest: Type.String(),
  /**
   * Digest of the long password in the same mail. Nobody can guess it, so wrong tries do not count against
   * it.
   */
  long: Type.String(),
  /** Who asked for the password, as far as the network shows. */
  from: Type.String(),
  /** Wrong tries left to the requester. */
  triesLeft: Type.Integer(),
  /** ms since the epoch. */
  expires: Type.Integer(),
});
type Mailed = Type.Static<typeof Mailed>;

/**
 * A pending login with one-time passwords. Its id is a keyed digest of the address, so that a request for an
 * address without an account stores neither address nor account.
 */
export interface Login {
  readonly id: string;
  /** The valid passwords; empty once one was used, because the first use invalidates all. */
  readonly passwords: readonly Mailed[];
  /** Wrong tries left to everybody else, together. */
  readonly othersLeft: number;
  /** The attempt that gave a password; null before that. */
  readonly attempt: string | null;
  /** When the last password expires (ms since the epoch). */
  readonly expires: number;
}

declare module "./states.ts" {
  interface CloudStates {
    login: Login;
  }
}

export type LoginCommand =
  /**
   * Adds a password beside the earlier ones: a stranger's request does not invalidate what the user is
   * typing.
   */
  | { type: "REQUEST_LOGIN"; id: string; digest: string; long: string; from: string }
  /**
   * Compares and counts. Attempts are decided one by one, so that many parallel ones gain nothing over a
   * sequence. The state afterwards names the attempt that gave a password. `from` as in `REQUEST_LOGIN`.
   */
  | { type: "TRY_LOGIN"; id: string; digest: string; long: string; from: string; attempt: string }
  /** Precedes, in the same submission, the commands that a successful attempt allows. */
  | { type: "END_LOGIN"; id: string; attempt: string };

/** Each event contains the whole state, so that earlier ones may age out. */
const LoginPending = telemetry(
  defineEvent("LoginPending", 1, {
    passwords: Type.Array(Mailed),
    othersLeft: Type.Integer(),
    expires: Type.Integer(),
  }),
);
/** One password with tries that everybody shares, as in older logs. */
const onePassword = { digest: Type.String(), triesLeft: Type.Integer(), expires: Type.Integer() };
const LoginRequested = telemetry(defineEvent("LoginRequested", 1, onePassword));
const LoginFailed = telemetry(defineEvent("LoginFailed", 1, onePassword));
const LoginProven = telemetry(
  defineEvent("LoginProven", 1, { attempt: Type.String(), expires: Type.Integer() }),
);
const LoginEnded = telemetry(defineEvent("LoginEnded", 1, {}));

export type LoginEvent =
  | EventOf<typeof LoginPending>
  | EventOf<typeof LoginRequested>
  | EventOf<typeof LoginFailed>
  | EventOf<typeof LoginProven>
  | EventOf<typeof LoginEnded>;

export const login: CloudDecider<Login, LoginCommand, LoginEvent> = {
  kind: "login",
  commands: ["REQUEST_LOGIN", "TRY_LOGIN", "END_LOGIN"],
  events: [LoginPending, LoginRequested, LoginFailed, LoginProven, LoginEnded],

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    const live = (state?.passwords ?? []).filter(({ expires }) => expires > world.now);
    switch (command.type) {
      case "REQUEST_LOGIN": {
        const { digest, long, from } = command;
        const expires = world.now + limits.loginMs;
        const passwords = [...withRoom(live), { digest, long, from, triesLeft: limits.loginTries, expires }];
        const othersLeft = live.length === 0 ? limits.loginTriesOfOthers : (state?.othersLeft ?? 0);
        const ended = state === undefined ? swept(world) : [];
        return [...ended, { type: "LoginPending", id, passwords, othersLeft, expires }];
      }
      case "TRY_LOGIN": {
        if (state === undefined || live.length === 0) return [];
        const { attempt, from } = command;
        const { expires, othersLeft } = state;
        if (live.some((one) => isGiven(one, command, othersLeft)))
          return [{ type: "LoginProven", id, attempt, expires }];
        const own = live.filter((one) => one.from === from && one.triesLeft > 0);
        // A try that no count limits is not logged: a flood of them would fill the log.
        if (own.length === 0 && othersLeft === 0) return [];
        const passwords = live.map((one) =>
          own.includes(one) ? { ...one, triesLeft: one.triesLeft - 1 } : one,
        );
        const left = own.length === 0 ? othersLeft - 1 : othersLeft;
        return [{ type: "LoginPending", id, passwords, othersLeft: left, expires }];
      }
      case "END_LOGIN":
        if (state?.attempt !== command.attempt)
          return reject("forbidden", "this attempt did not give a valid password");
        return [endOf(id)];
    }
  },

  evolve(_state, event) {
    switch (event.type) {
      case "LoginPending": {
        const { id, passwords, othersLeft, expires } = event;
        return { id, passwords, othersLeft, attempt: null, expires };
      }
      case "LoginRequested":
      case "LoginFailed": {
        const { id, digest, triesLeft, expires } = event;
        const mailed = { digest, long: "", from: "", triesLeft: 0, expires };
        return { id, passwords: [mailed], othersLeft: triesLeft, attempt: null, expires };
      }
      case "LoginProven": {
        const { id, attempt, expires } = event;
        return { id, passwords: [], othersLeft: 0, attempt, expires };
      }
      case "LoginEnded":
        return undefined;
    }
  },
};

/** Returns whether an attempt gives a password and has a try left for it. */
function isGiven(
  { digest, long, from, triesLeft }: Mailed,
  given: { readonly digest: string; readonly long: string; readonly from: string },
  othersLeft: number,
): boolean {
  if (long !== "" && isSameDigest(long, given.long)) return true;
  const left = from === given.from ? triesLeft : othersLeft;
  return left > 0 && isSameDigest(digest, given.digest);
}

/** Makes room for one more password: drops the oldest of the requester with the most. */
function withRoom(live: readonly Mailed[]): readonly Mailed[] {
  if (live.length < limits.loginPasswords) return live;
  const count = (from: string): number => live.filter((one) => one.from === from).length;
  const most = Math.max(...live.map(({ from }) => count(from)));
  const at = live.findIndex(({ from }) => count(from) === most);
  return live.toSpliced(at, 1);
}

/**
 * Makes room for one more login. Each request removes a few expired logins, so that they do not pile up. When
 * there is no room at all, the login that expires first goes: nobody is refused because of others.
 */
function swept(world: CloudWorld): LoginEvent[] {
  const isFull = world.size("login") >= limits.loginsPending;
  const most = isFull ? Infinity : limits.loginsSwept;
  const ended: LoginEvent[] = [];
  let first: { readonly id: string; readonly expires: number } | undefined;
  let looked = 0;
  for (const [id, { expires }] of world.all("login")) {
    if (looked++ === most || ended.length === limits.loginsSwept) break;
    if (expires <= world.now) ended.push(endOf(id));
    else if (first === undefined || expires < first.expires) first = { id, expires };
  }
  return isFull && ended.length === 0 && first !== undefined ? [endOf(first.id)] : ended;
}

function endOf(id: string): LoginEvent {
  return { type: "LoginEnded", id };
}
