import { type Decision, defineEvent, type EventOf, limits, orNull, reject } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** A JSON Web Key as the log stores it: its members, all strings. */
export type Jwk = Readonly<Record<string, string>>;
export const JwkRecord = Type.Record(Type.String(), Type.String());

/**
 * A key pair with which the cloud signs; its id is its kid. The cloud publishes it as soon as it is made,
 * signs with it from `from` until a later key begins, and publishes it until `until` (ms), when everything
 * that it signed has expired.
 */
export interface SigningKey {
  readonly id: string;
  readonly publicJwk: Jwk;
  readonly privateJwk: Jwk;
  readonly from: number;
  /** Null while no later key exists. */
  readonly until: number | null;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    signingKey: SigningKey;
  }
}

export type SigningKeyCommand =
  /** Signs from `from` (ms): by then hubs have fetched the key. The first key signs at once. */
  | { type: "ADD_SIGNING_KEY"; id: string; publicJwk: Jwk; privateJwk: Jwk; from: number }
  /** Invalidates all signatures of a key that others may have. Not for the newest key. */
  | { type: "WITHDRAW_SIGNING_KEY"; id: string }
  /** Forgets a key when everything that it signed has expired. */
  | { type: "DROP_SIGNING_KEY"; id: string };

const SigningKeyAdded = defineEvent(
  "SigningKeyAdded",
  1,
  { publicJwk: JwkRecord, privateJwk: JwkRecord, from: Type.Integer() },
  ["privateJwk"],
);
const SigningKeyEnded = defineEvent("SigningKeyEnded", 1, { until: orNull(Type.Integer()) });
const SigningKeyDropped = defineEvent("SigningKeyDropped", 1, {});

export type SigningKeyEvent =
  | EventOf<typeof SigningKeyAdded>
  | EventOf<typeof SigningKeyEnded>
  | EventOf<typeof SigningKeyDropped>;

export const signingKey: CloudDecider<SigningKey, SigningKeyCommand, SigningKeyEvent> = {
  kind: "signingKey",
  commands: ["ADD_SIGNING_KEY", "WITHDRAW_SIGNING_KEY", "DROP_SIGNING_KEY"],
  events: [SigningKeyAdded, SigningKeyEnded, SigningKeyDropped],
  secrets: ["privateJwk"],

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "DROP_SIGNING_KEY") {
      if (state === undefined) return [];
      if (state.until === null || state.until > world.now)
        return reject("wrong-state", `key ${id} has valid signatures`);
      return [{ type: "SigningKeyDropped", id }];
    }
    if (command.type === "WITHDRAW_SIGNING_KEY") return withdraw(id, state, world);
    if (state !== undefined) return reject("wrong-state", `key ${id} already exists`, "id");
    if (world.size("signingKey") >= limits.signingKeys)
      return reject("wrong-state", `at most ${limits.signingKeys} signing keys`);
    const held = [...world.all("signingKey")].map(([, key]) => key);
    const { publicJwk, privateJwk } = command;
    const from = held.length === 0 ? world.now : Math.max(command.from, world.now);
    const until = from + longestLifeMs;
    const ended = held.filter((key) => key.until === null);
    return [
      ...ended.map((key) => ({ type: "SigningKeyEnded", id: key.id, until }) as const),
      { type: "SigningKeyAdded", id, publicJwk, privateJwk, from },
    ];
  },

  evolve(state, event, timestamp) {
    switch (event.type) {
      case "SigningKeyAdded": {
        const { id, publicJwk, privateJwk, from } = event;
        return { id, publicJwk, privateJwk, from, until: null, timestamp };
      }
      case "SigningKeyEnded":
        return state && { ...state, until: event.until, timestamp };
      case "SigningKeyDropped":
        return undefined;
    }
  },
};

function withdraw(id: string, state: SigningKey | undefined, world: CloudWorld): Decision<SigningKeyEvent> {
  const { now } = world;
  if (state === undefined) return reject("not-found", `no signing key ${id}`, "kid");
  const isSigning =
    signingKeyAt(
      [...world.all("signingKey")].map(([, key]) => key),
      now,
    )?.id === id;
  if (state.until === null || isSigning)
    return reject("wrong-state", "another key must sign first: ledge-cloud keys rotate --urgent", "kid");
  return state.until <= now ? [] : [{ type: "SigningKeyEnded", id, until: now }];
}

/** The longest life of anything that a key signs (ms). */
export const longestLifeMs: number = Math.max(limits.hubKeyMs, limits.cloudTokenMs, limits.activationCodeMs);

/** Returns the key that signs at a time (ms): the newest of those that have begun. */
export function signingKeyAt(keys: Iterable<SigningKey>, now: number): SigningKey | undefined {
  let newest: SigningKey | undefined;
  for (const key of keys) {
    if (key.from > now) continue;
    if (newest === undefined || key.from > newest.from || isNext(key, newest)) newest = key;
  }
  return newest;
}

/** Returns whether `key`, of two that begin at the same time, is the one without a successor. */
function isNext(key: SigningKey, other: SigningKey): boolean {
  return key.from === other.from && key.until === null && other.until !== null;
}

/** Returns the keys whose signatures are valid at a time (ms), and keys that sign later. */
export function publishedKeys(keys: Iterable<SigningKey>, now: number): SigningKey[] {
  return [...keys].filter(({ until }) => until === null || until > now);
}
