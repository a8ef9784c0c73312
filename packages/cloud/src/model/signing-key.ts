import { type Decision, defineEvent, type EventOf, limits, orNull, reject } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** A JSON Web Key as it stands in the log: its members, all of them texts. */
export type Jwk = Readonly<Record<string, string>>;
const JwkRecord = Type.Record(Type.String(), Type.String());

/**
 * A key pair that signs what the cloud says; its id is its kid. It is published from when it is made, signs from
 * `from` on until a later key does, and stays published until `until` (ms), when all that it signed has expired.
 */
export interface SigningKey {
  readonly id: string;
  readonly publicJwk: Jwk;
  readonly privateJwk: Jwk;
  readonly from: number;
  /** Null while no later key is there. */
  readonly until: number | null;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    signingKey: SigningKey;
  }
}

export type SigningKeyCommand =
  /** Begins to sign at `from` (ms): hubs have read it by then. The first one signs at once. */
  | { type: "ADD_SIGNING_KEY"; id: string; publicJwk: Jwk; privateJwk: Jwk; from: number }
  /** Nothing that it has signed counts any more: it may be somebody else's, too. Not of the newest. */
  | { type: "WITHDRAW_SIGNING_KEY"; id: string }
  /** Forgets keys of which nothing that they signed is good any more. */
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
        return reject("wrong-state", `what key ${id} has signed is still good`);
      return [{ type: "SigningKeyDropped", id }];
    }
    if (command.type === "WITHDRAW_SIGNING_KEY") return withdraw(id, state, world);
    if (state !== undefined) return reject("wrong-state", `key ${id} is there already`, "id");
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

/** Whatever a key signs is good for no longer than this (ms). */
export const longestLifeMs: number = Math.max(limits.hubKeyMs, limits.cloudTokenMs, limits.activationCodeMs);

/** The key that signs at a time (ms): of those that have begun the newest. */
export function signingKeyAt(keys: Iterable<SigningKey>, now: number): SigningKey | undefined {
  let newest: SigningKey | undefined;
  for (const key of keys) {
    if (key.from > now) continue;
    if (newest === undefined || key.from > newest.from || isNext(key, newest)) newest = key;
  }
  return newest;
}

/** Of two that have begun at once the one that nothing has followed. */
function isNext(key: SigningKey, other: SigningKey): boolean {
  return key.from === other.from && key.until === null && other.until !== null;
}

/** The keys whose signatures count at a time (ms), those to come included. */
export function publishedKeys(keys: Iterable<SigningKey>, now: number): SigningKey[] {
  return [...keys].filter(({ until }) => until === null || until > now);
}
