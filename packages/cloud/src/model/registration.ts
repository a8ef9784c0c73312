import {
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

/** A hub that has shown itself: its id is bound to its identity key. */
export interface Registration {
  readonly id: string;
  readonly identity: HubIdentity;
  /** What people call it; null when it has not said. */
  readonly name: string | null;
  /** As `GET /hub` of the hub says (hub-api 2.1), and its feature codes. */
  readonly version: string;
  readonly features: readonly number[];
  /** When this was last told (ms); a hub that is there day after day tells so once a day. */
  readonly seen: number;
  readonly timestamp: number;
}

/** The public half of a hub's identity key (RFC 8037). */
export const HubIdentity = Type.Object({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Type.String({ pattern: "^[-_A-Za-z0-9]{43}$" }),
});
export type HubIdentity = Type.Static<typeof HubIdentity>;

export type RegistrationCommand =
  /** The hub has proved that it holds the identity's private half. */
  | {
      type: "REGISTER_HUB";
      id: string;
      identity: HubIdentity;
      name: string | null;
      version: string;
      features: readonly number[];
      /** Whether the id follows from the key (`hubIdOfKey`). */
      isOwnId: boolean;
    }
  /** By who runs the cloud: the id may be bound anew. */
  | { type: "REMOVE_HUB"; id: string };

const HubRegistered = defineEvent("HubRegistered", 1, { identity: HubIdentity });
const HubSeen = personal(
  telemetry(
    // The envelope takes the name of "version".
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

export type RegistrationEvent =
  | EventOf<typeof HubRegistered>
  | EventOf<typeof HubSeen>
  | EventOf<typeof HubRemoved>;

export const registration: CloudDecider<Registration, RegistrationCommand, RegistrationEvent> = {
  kind: "registration",
  commands: ["REGISTER_HUB", "REMOVE_HUB"],
  events: [HubRegistered, HubSeen, HubRemoved],
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
    const { identity, name, version, features, isOwnId } = command;
    const { kty, crv, x } = identity;
    const seen = { type: "HubSeen", id, name, release: version, features: [...features] } as const;
    if (state === undefined) {
      if (world.size("registration") >= limits.hubs)
        return reject("wrong-state", `at most ${limits.hubs} hubs`);
      if (!isOwnId && hasHub(x, world)) return reject("forbidden", "this key has another hub");
      return [{ type: "HubRegistered", id, identity: { kty, crv, x } }, seen];
    }
    if (state.identity.x !== x) return reject("forbidden", "this hub has another key");
    const isSame =
      state.name === name &&
      state.version === version &&
      isSameList(state.features.map(String), features.map(String));
    return isSame && world.now - state.seen < limits.hubSeenMs ? [] : [seen];
  },

  evolve(state, event, timestamp) {
    switch (event.type) {
      case "HubRegistered": {
        const { id, identity } = event;
        return { id, identity, name: null, version: "", features: [], seen: timestamp, timestamp };
      }
      case "HubSeen": {
        const { name, release: version, features } = event;
        return state && { ...state, name, version, features, seen: timestamp, timestamp };
      }
      case "HubRemoved":
        return undefined;
    }
  },
};

/** Whether a key has registered a hub. */
function hasHub(x: string, world: CloudWorld): boolean {
  for (const [, { identity }] of world.all("registration")) if (identity.x === x) return true;
  return false;
}
