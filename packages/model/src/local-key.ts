import Type from "typebox";
import { roles } from "./access.ts";
import type { Decider, Decision, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import type { UserEvent } from "./user.ts";

/**
 * A key that the hub has signed itself, for one browser or program on its network. The record decides whether the
 * key is good: the key itself is nowhere in the log. Times in ms since the epoch.
 */
export interface LocalKey {
  readonly id: string;
  readonly user: string;
  /** What it was made for, such as `Kitchen tablet`. Not a personal field: like the name of a device. */
  readonly name: string;
  readonly issuedAt: number;
  /** When it was last issued or renewed. */
  readonly signedAt: number;
  readonly expires: number;
}

declare module "./states.ts" {
  interface States {
    localKey: LocalKey;
  }
}

export type LocalKeyCommand =
  | {
      type: "ISSUE_LOCAL_KEY";
      /** Null: the hub's owner. */
      user: string | null;
      name: string;
      /** For a new user of that name with the role of a guest, such as a panel on a wall. */
      isPanel: boolean;
    }
  | { type: "RENEW_LOCAL_KEY"; id: string }
  | { type: "REVOKE_LOCAL_KEY"; id: string };

const LocalKeyIssued = defineEvent("LocalKeyIssued", 1, {
  user: Type.String(),
  name: Type.String(),
  expires: Type.Integer(),
});
const LocalKeyRenewed = defineEvent("LocalKeyRenewed", 1, { expires: Type.Integer() });
const LocalKeyRevoked = defineEvent("LocalKeyRevoked", 1, {});
/** Its time was over when another one was issued. */
const LocalKeyExpired = defineEvent("LocalKeyExpired", 1, {});

export type LocalKeyIssued = EventOf<typeof LocalKeyIssued>;
export type LocalKeyEvent =
  | LocalKeyIssued
  | EventOf<typeof LocalKeyRenewed>
  | EventOf<typeof LocalKeyRevoked>
  | EventOf<typeof LocalKeyExpired>;

/** Keys of the hub itself, one instance each. */
export const localKey: Decider<LocalKey, LocalKeyCommand, LocalKeyEvent> = {
  kind: "localKey",
  commands: ["ISSUE_LOCAL_KEY", "RENEW_LOCAL_KEY", "REVOKE_LOCAL_KEY"],
  events: [LocalKeyIssued, LocalKeyRenewed, LocalKeyRevoked, LocalKeyExpired],

  target: (command) => (command.type === "ISSUE_LOCAL_KEY" ? undefined : command.id),

  decide(command, state, world) {
    if (command.type === "ISSUE_LOCAL_KEY")
      return command.isPanel ? decidePanel(command.name, world) : decideIssued(command, world);
    if (state === undefined) return reject("not-found", `no key ${command.id}`, "keyId");
    const { id } = state;
    if (command.type === "REVOKE_LOCAL_KEY") return [{ type: "LocalKeyRevoked", id } satisfies LocalKeyEvent];
    if (state.expires - world.now > limits.localKeyRenewMs)
      return reject(
        "wrong-state",
        `this key is renewed in its last ${limits.localKeyRenewMs / 86_400_000} days`,
      );
    const expires = world.now + limits.localKeyMs;
    return [{ type: "LocalKeyRenewed", id, expires } satisfies LocalKeyEvent];
  },

  evolve(state, event, timestamp) {
    switch (event.type) {
      case "LocalKeyIssued": {
        const { id, user, name, expires } = event;
        return { id, user, name, issuedAt: timestamp, signedAt: timestamp, expires };
      }
      case "LocalKeyRenewed":
        return state && { ...state, signedAt: timestamp, expires: event.expires };
      case "LocalKeyRevoked":
      case "LocalKeyExpired":
        return undefined;
    }
  },
};

function decideIssued(
  { user: named, name }: { readonly user: string | null; readonly name: string },
  world: World,
): Decision<LocalKeyEvent> {
  const [hub] = [...world.all("hub")].map(([, state]) => state);
  const id = named ?? hub?.owner ?? null;
  if (id === null) return reject("wrong-state", "this hub has no owner: claim it first");
  const user = world.get("user", id);
  if (user === undefined || user.revoked || user.forgotten)
    return reject("not-found", `no user ${id}`, "userId");
  return issued(id, name, world);
}

/** Makes a guest without an address. */
function decidePanel(name: string, world: World): Decision<LocalKeyEvent | UserEvent> {
  if (world.size("user") >= limits.users) return reject("invalid", `at most ${limits.users} users`);
  const id = world.newId();
  const added: UserEvent = {
    type: "UserAdded",
    id,
    email: "",
    nickname: name,
    phone: null,
    role: roles.GUEST,
  };
  const key = issued(id, name, world);
  return isRejection(key) ? key : [...key, added];
}

function issued(user: string, name: string, world: World): Decision<LocalKeyEvent> {
  const all = [...world.all("localKey")].map(([, key]) => key);
  const expired = all.filter(({ expires }) => expires <= world.now);
  const live = all.filter(({ expires }) => expires > world.now);
  if (live.length >= limits.localKeys)
    return reject("wrong-state", `the hub has ${limits.localKeys} keys: revoke one first`);
  if (live.filter((key) => key.user === user).length >= limits.localKeysPerUser)
    return reject("wrong-state", `this user has ${limits.localKeysPerUser} keys: revoke one first`);
  const expires = world.now + limits.localKeyMs;
  // The answer to the command names the object of the first event.
  return [
    { type: "LocalKeyIssued", id: world.newId(), user, name, expires },
    ...expired.map(({ id }): LocalKeyEvent => ({ type: "LocalKeyExpired", id })),
  ];
}
