import type { AdapterFailure } from "@ledge/model";
import { limits } from "@ledge/model";

/** When the hub gives up on an adapter's process and when it retries. All values are ms, except `failures`. */
export interface SupervisionPolicy {
  readonly pingMs: number;
  readonly silenceMs: number;
  /** How long a start may take. */
  readonly startMs: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /** The adapter rests after this many failures within the window. */
  readonly failures: number;
  readonly failureWindowMs: number;
}

export const defaultPolicy: SupervisionPolicy = {
  pingMs: limits.adapterPingMs,
  silenceMs: limits.adapterSilenceMs,
  startMs: limits.adapterStartMs,
  backoffMinMs: limits.adapterBackoffMinMs,
  backoffMaxMs: limits.adapterBackoffMaxMs,
  failures: limits.adapterFailures,
  failureWindowMs: limits.adapterFailureWindowMs,
};

/**
 * - `starting`: its process runs and takes no commands yet
 * - `restarting`: it failed and waits for its next start
 * - `resting`: it failed too often, or its settings are wrong; it waits for `resume`
 */
export type AdapterPhase = "starting" | "running" | "restarting" | "resting" | "stopped";

/** The state of an adapter's supervision. Times are on the monotonic clock (ms). */
export interface Supervision {
  readonly phase: AdapterPhase;
  /** The times of its failures within the window. */
  readonly failures: readonly number[];
  /** Failures since it last ran for a whole window. The backoff grows with them. */
  readonly streak: number;
  readonly since: number;
  readonly heard: number;
  /** The time at which the next `tick` is due. */
  readonly due: number | undefined;
  readonly pingDue: number;
  /** The reason of the last failure, for people and for alarms. */
  readonly reason: string | null;
  readonly failure: AdapterFailure | null;
}

export type SupervisionInput =
  | { readonly type: "start" | "started" | "pong" | "tick" | "resume" | "stop" }
  /** `lasting`: another start would fail in the same way. */
  | ({ readonly type: "failed" } & Failed);

interface Failed {
  readonly reason: string;
  readonly failure: AdapterFailure;
  readonly lasting: boolean;
}

/** An action for the caller: fork a process, kill the current one if it still lives, or ping it. */
export type SupervisionEffect = "fork" | "kill" | "ping";

export interface SupervisionStep {
  readonly state: Supervision;
  readonly effects: readonly SupervisionEffect[];
}

export const unsupervised: Supervision = {
  phase: "stopped",
  failures: [],
  streak: 0,
  since: 0,
  heard: 0,
  due: undefined,
  pingDue: 0,
  reason: null,
  failure: null,
};

/**
 * Computes one step of the supervision policy. It is pure.
 * @param now monotonic ms
 * @param random 0 <= random < 1; spreads the restarts of adapters that failed together
 */
export function supervise(
  state: Supervision,
  input: SupervisionInput,
  now: number,
  policy: SupervisionPolicy,
  random: number,
): SupervisionStep {
  switch (input.type) {
    case "start":
      return state.phase === "stopped" ? begin(state, now, policy) : { state, effects: [] };
    case "resume":
      return state.phase === "resting" || state.phase === "restarting"
        ? begin({ ...state, failures: [], streak: 0 }, now, policy)
        : { state, effects: [] };
    case "started":
      return state.phase === "starting"
        ? { state: { ...state, phase: "running", since: now, heard: now }, effects: [] }
        : { state, effects: [] };
    case "pong":
      return { state: isAlive(state) ? withDue({ ...state, heard: now }, policy) : state, effects: [] };
    case "failed":
      return isAlive(state) ? fail(state, input, now, policy, random) : { state, effects: [] };
    case "tick":
      return tick(state, now, policy, random);
    case "stop":
      return { state: { ...state, phase: "stopped", due: undefined }, effects: [] };
  }
}

function isAlive({ phase }: Supervision): boolean {
  return phase === "starting" || phase === "running";
}

/** Whether its process has said nothing yet: it loads its code, for which it has the time of a start. */
function isLoading({ phase, since, heard }: Supervision): boolean {
  return phase === "starting" && heard === since;
}

function begin(state: Supervision, now: number, policy: SupervisionPolicy): SupervisionStep {
  const begun: Supervision = {
    ...state,
    phase: "starting",
    since: now,
    heard: now,
    pingDue: now + policy.pingMs,
  };
  return { state: withDue(begun, policy), effects: ["fork"] };
}

function withDue(state: Supervision, policy: SupervisionPolicy): Supervision {
  const silent = isLoading(state) ? Infinity : state.heard + policy.silenceMs;
  const unstarted = state.phase === "starting" ? state.since + policy.startMs : Infinity;
  return { ...state, due: Math.min(state.pingDue, silent, unstarted) };
}

function tick(state: Supervision, now: number, policy: SupervisionPolicy, random: number): SupervisionStep {
  if (state.due === undefined || now < state.due) return { state, effects: [] };
  if (state.phase === "restarting") return begin(state, now, policy);
  // A tick this late means that the hub itself stood still: answers wait unread, and the adapter was not
  // silent.
  const isLate = now - state.due > policy.pingMs;
  const heard = isLate && !isLoading(state) ? now : state.heard;
  if (!isLoading(state) && now - heard >= policy.silenceMs) {
    return hang(state, `no sign of life for ${policy.silenceMs} ms`, now, policy, random);
  }
  if (state.phase === "starting" && now - state.since >= policy.startMs) {
    return hang(state, `not started after ${policy.startMs} ms`, now, policy, random);
  }
  const pings = now >= state.pingDue;
  const next = { ...state, heard, pingDue: pings ? now + policy.pingMs : state.pingDue };
  return { state: withDue(next, policy), effects: pings ? ["ping"] : [] };
}

function hang(
  state: Supervision,
  reason: string,
  now: number,
  policy: SupervisionPolicy,
  random: number,
): SupervisionStep {
  return fail(state, { reason, failure: "hang", lasting: false }, now, policy, random);
}

function fail(
  state: Supervision,
  { reason, failure, lasting }: Failed,
  now: number,
  policy: SupervisionPolicy,
  random: number,
): SupervisionStep {
  const failures = [...state.failures.filter((at) => now - at < policy.failureWindowMs), now];
  const proved = state.phase === "running" && now - state.since >= policy.failureWindowMs;
  const streak = proved ? 1 : state.streak + 1;
  const failed = { ...state, failures, streak, since: now, reason, failure };
  if (lasting || failures.length >= policy.failures) {
    return { state: { ...failed, phase: "resting", due: undefined }, effects: ["kill"] };
  }
  return {
    state: { ...failed, phase: "restarting", due: now + backoffMs(streak, policy, random) },
    effects: ["kill"],
  };
}

/** The backoff doubles with each failure in a row and grows by up to a quarter at random. */
function backoffMs(
  streak: number,
  { backoffMinMs, backoffMaxMs }: SupervisionPolicy,
  random: number,
): number {
  const doubled = backoffMinMs * 2 ** Math.min(streak - 1, 30);
  return Math.min(backoffMaxMs, doubled * (1 + random / 4));
}
