import type { CloneKind } from "@ledge/link/tunnel";
import {
  type Decision,
  defineEvent,
  type EventOf,
  isSameList,
  limits,
  orNull,
  personal,
  reject,
  telemetry,
} from "@ledge/model";
import Type from "typebox";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** A registered hub: its id is bound to its identity key. */
export interface Registration {
  readonly id: string;
  readonly identity: HubIdentity;
  /** The hub's name; null when it reports none. */
  readonly name: string | null;
  /** As `GET /hub` of the hub reports it (hub-api 2.1), and its feature codes. */
  readonly version: string;
  readonly features: readonly number[];
  /** The newest generation so far; an older one does not get the link (`GenerationOpened` of the hub). */
  readonly generation: number;
  /** Set when another hub with the same identity has lately asked for the link. */
  readonly clone: Clone | null;
  /** When the hub was last noted (ms); a hub that stays connected is noted once a day. */
  readonly seen: number;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    registration: Registration;
  }
}

export interface Clone {
  /** Whether the clone is from before the hub's last restore, or of the same generation. */
  readonly kind: CloneKind;
  /** Since when (ms). */
  readonly since: number;
}

/** The public half of a hub's identity key (RFC 8037). */
export const HubIdentity = Type.Object({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Type.String({ pattern: "^[-_A-Za-z0-9]{43}$" }),
});
export type HubIdentity = Type.Static<typeof HubIdentity>;

type Register = Extract<RegistrationCommand, { type: "REGISTER_HUB" }>;

export type RegistrationCommand =
  /** The hub has proven that it holds the private half of its identity. */
  | {
      type: "REGISTER_HUB";
      id: string;
      identity: HubIdentity;
      name: string | null;
      version: string;
      features: readonly number[];
      generation: number;
      /** Whether the id follows from the key (`hubIdOfKey`). */
      isOwnId: boolean;
    }
  /** Another hub with the same identity asks for the link. */
  | { type: "NOTE_CLONE"; id: string; kind: CloneKind }
  /** That hub has not asked for a while. */
  | { type: "NOTE_CLONE_GONE"; id: string }
  /** By the operator: the id is free for another key. */
  | { type: "REMOVE_HUB"; id: string };

const HubRegistered = defineEvent("HubRegistered", 1, { identity: HubIdentity });
const HubSeen = personal(
  telemetry(
    // The envelope uses the name "version".
    defineEvent("HubSeen", 1, {
      name: orNull(Type.String()),
      release: Type.String(),
      features: Type.Array(Type.Integer()),
    }),
    () => ["seen"],
  ),
  { name: null },
);
const HubRemoved = defineEvent("HubRemoved", 1, {});
/** The hub was restored from a backup, or somebody chose it as the one to keep. */
const GenerationSeen = defineEvent("GenerationSeen", 1, { generation: Type.Integer() });
const CloneSeen = telemetry(
  defineEvent("CloneSeen", 1, { clone: Type.Union([Type.Literal("older"), Type.Literal("same")]) }),
  () => ["clone"],
);
const CloneGone = telemetry(defineEvent("CloneGone", 1, {}), () => ["clone"]);

export type RegistrationEvent =
  | EventOf<typeof HubRegistered>
  | EventOf<typeof HubSeen>
  | EventOf<typeof HubRemoved>
  | EventOf<typeof GenerationSeen>
  | EventOf<typeof CloneSeen>
  | EventOf<typeof CloneGone>;

export const registration: CloudDecider<Registration, RegistrationCommand, RegistrationEvent> = {
  kind: "registration",
  commands: ["REGISTER_HUB", "NOTE_CLONE", "NOTE_CLONE_GONE", "REMOVE_HUB"],
  events: [HubRegistered, HubSeen, HubRemoved, GenerationSeen, CloneSeen, CloneGone],
  personal: { name: null },

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "REMOVE_HUB") {
      if (state === undefined) return [];
      if ((world.get("authorizations", id)?.users.length ?? 0) > 0)
        return reject("wrong-state", `hub ${id} has an owner: release it first`);
      return [{ type: "HubRemoved", id }];
    }
    if (command.type === "NOTE_CLONE")
      return state === undefined || state.clone?.kind === command.kind
        ? []
        : [{ type: "CloneSeen", id, clone: command.kind }];
    if (command.type === "NOTE_CLONE_GONE") return state?.clone ? [{ type: "CloneGone", id }] : [];
    return register(command, state, world);
  },

  evolve(state, event, timestamp) {
    switch (event.type) {
      case "HubRegistered": {
        const { id, identity } = event;
        const fresh = { name: null, version: "", features: [], generation: 0, clone: null };
        return { id, identity, ...fresh, seen: timestamp, timestamp };
      }
      case "HubSeen": {
        const { name, release: version, features } = event;
        return state && { ...state, name, version, features, seen: timestamp, timestamp };
      }
      case "GenerationSeen":
        return state && { ...state, generation: event.generation, timestamp };
      case "CloneSeen":
        return state && { ...state, clone: { kind: event.clone, since: timestamp }, timestamp };
      case "CloneGone":
        return state && { ...state, clone: null, timestamp };
      case "HubRemoved":
        return undefined;
    }
  },
};

function register(
  { id, identity, name, version, features, generation, isOwnId }: Register,
  state: Registration | undefined,
  world: CloudWorld,
): Decision<RegistrationEvent> {
  const { kty, crv, x } = identity;
  const seen = { type: "HubSeen", id, name, release: version, features: [...features] } as const;
  const newer =
    generation > (state?.generation ?? 0) ? [{ type: "GenerationSeen", id, generation } as const] : [];
  if (state === undefined) {
    if (!isOwnId && hasHub(x, world)) return reject("forbidden", "this key belongs to another hub");
    const gone = world.size("registration") < limits.hubs ? [] : unclaimed(world);
    if (gone === undefined) return reject("wrong-state", `at most ${limits.hubs} hubs`);
    return [...gone, { type: "HubRegistered", id, identity: { kty, crv, x } }, ...newer, seen];
  }
  if (state.identity.x !== x) return reject("forbidden", "this hub has another key");
  // The newest generation says what the hub is like.
  if (generation < state.generation) return [];
  const isSame =
    state.name === name &&
    state.version === version &&
    isSameList(state.features.map(String), features.map(String));
  return isSame && world.now - state.seen < limits.hubSeenMs ? newer : [...newer, seen];
}

/** Removes the unclaimed hub seen longest ago: strangers take no place from hubs with an owner. */
function unclaimed(world: CloudWorld): RegistrationEvent[] | undefined {
  let oldest: Registration | undefined;
  for (const [id, one] of world.all("registration")) {
    if (oldest !== undefined && oldest.seen <= one.seen) continue;
    if ((world.get("authorizations", id)?.users.length ?? 0) === 0) oldest = one;
  }
  return oldest && [{ type: "HubRemoved", id: oldest.id }];
}

/** Returns whether a key has registered a hub. */
function hasHub(x: string, world: CloudWorld): boolean {
  for (const [, { identity }] of world.all("registration")) if (identity.x === x) return true;
  return false;
}
