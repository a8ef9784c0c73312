import { defineEvent, type EventOf, limits, reject, telemetry } from "@ledge/model";
import Type from "typebox";
import { isSameDigest } from "./digest.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** A password that was mailed. All digests are keyed. */
const Mailed = Type.Object({
  digest: Type.String(),
  /** Of the long password in the same mail. Nobody guesses it, so no wrong try counts against it. */
  long: Type.String(),
  /** Of who asked for it, as far as the network tells. */
  from: Type.String(),
  /** Wrong tries that are left to whoever asked for it. */
  triesLeft: Type.Integer(),
  /** ms since the epoch. */
  expires: Type.Integer(),
});
type Mailed = Type.Static<typeof Mailed>;

/**
 * Somebody is about to log in with a one-time password. Its id is a keyed digest of the address, so that asking for
 * passwords of addresses that have no account leaves neither address nor account behind.
 */
export interface Login {
  readonly id: string;
  /** Those that are good; none once one was given, as it counts once. */
  readonly passwords: readonly Mailed[];
  /** Wrong tries that are left to everybody who asked for none. */
  readonly othersLeft: number;
  /** Which attempt gave a password; null before one has. */
  readonly attempt: string | null;
  /** ms since the epoch: when the last password does. */
  readonly expires: number;
}

declare module "./states.ts" {
  interface CloudStates {
    login: Login;
  }
}

export type LoginCommand =
  /** Stands beside the ones before: a stranger's request does not take away what somebody is typing. */
  | { type: "REQUEST_LOGIN"; id: string; digest: string; long: string; from: string }
  /**
   * Compares and counts: attempts are decided one after the other, so that many at once are no more than many in a row.
   * The state afterwards says which attempt gave a password. `from` as in `REQUEST_LOGIN`.
   */
  | { type: "TRY_LOGIN"; id: string; digest: string; long: string; from: string; attempt: string }
  /** Stands before what the attempt leads to, in the same submission. */
  | { type: "END_LOGIN"; id: string; attempt: string };

/** Each says all of the state: what came before it may go with age. */
const LoginPending = telemetry(
  defineEvent("LoginPending", 1, {
    passwords: Type.Array(Mailed),
    othersLeft: Type.Integer(),
    expires: Type.Integer(),
  }),
);
/** One password with one allowance for everybody: logs of before have these. */
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
        // A try that nothing counts against is not written down: a flood of them would fill the log.
        if (own.length === 0 && othersLeft === 0) return [];
        const passwords = live.map((one) =>
          own.includes(one) ? { ...one, triesLeft: one.triesLeft - 1 } : one,
        );
        const left = own.length === 0 ? othersLeft - 1 : othersLeft;
        return [{ type: "LoginPending", id, passwords, othersLeft: left, expires }];
      }
      case "END_LOGIN":
        if (state?.attempt !== command.attempt) return reject("forbidden", "this attempt gave no password");
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

/** Whether an attempt gives a password, and has a try left for it. */
function isGiven(
  { digest, long, from, triesLeft }: Mailed,
  given: { readonly digest: string; readonly long: string; readonly from: string },
  othersLeft: number,
): boolean {
  if (long !== "" && isSameDigest(long, given.long)) return true;
  const left = from === given.from ? triesLeft : othersLeft;
  return left > 0 && isSameDigest(digest, given.digest);
}

/** Passwords with room for one more: of whoever has asked for the most, the oldest goes. */
function withRoom(live: readonly Mailed[]): readonly Mailed[] {
  if (live.length < limits.loginPasswords) return live;
  const count = (from: string): number => live.filter((one) => one.from === from).length;
  const most = Math.max(...live.map(({ from }) => count(from)));
  const at = live.findIndex(({ from }) => count(from) === most);
  return live.toSpliced(at, 1);
}

/**
 * Logins that make room for one more. Each request takes some away that came to nothing, so that they do not pile up;
 * where there is no room at all, whoever expires first goes: nobody is refused because of what others do.
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
