import Type from "typebox";
import { roles } from "./access.ts";
import type { Decision, World } from "./decider.ts";
import { reject } from "./decider.ts";
import { foldedEmail } from "./email.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import type { Hub, PublicKey, TrustedCloud } from "./hub-state.ts";
import type { HubClaimed, OwnershipTransferred } from "./ownership.ts";
import type { HubUser, UserEvent } from "./user.ts";

/**
 * A user with access, as the cloud lists them. `role` is one role bit of hub-api 5.3; the owner's is
 * `OWNER_ADMIN`.
 */
export interface ListedUser {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: number;
  /** The number of the list that gave them access. */
  readonly granted: number;
}

export type AuthorizationListCommand =
  /** What a cloud at an address says about itself. Lists of another cloud no longer count. */
  | { type: "TRUST_CLOUD"; id: string; url: string; issuer: string; keys: readonly PublicKey[] }
  /** At most one of `users` is the owner. */
  | { type: "TAKE_AUTHORIZATIONS"; id: string; seq: number; users: readonly ListedUser[] };

/** The hub trusts a cloud, or knows its new keys. */
export const CloudTrusted = defineEvent("CloudTrusted", 1, {
  url: Type.String(),
  issuer: Type.String(),
  keys: Type.Array(Type.Object({ kid: Type.String(), x: Type.String() })),
});
export type CloudTrusted = EventOf<typeof CloudTrusted>;
/** The hub has applied a list of the cloud. */
export const AuthorizationsTaken = defineEvent("AuthorizationsTaken", 1, { seq: Type.Integer() });

/** Events about the hub's cloud and its lists. */
export type AuthorizationListEvent = CloudTrusted | EventOf<typeof AuthorizationsTaken>;
type Decided = Decision<AuthorizationListEvent | HubClaimed | OwnershipTransferred | UserEvent>;

/** Decides which cloud the hub trusts, and applies its lists of users. */
export function decideAuthorizationList(command: AuthorizationListCommand, hub: Hub, world: World): Decided {
  return command.type === "TRUST_CLOUD" ? trust(command, hub, world) : take(command, hub, world);
}

/** Returns the cloud after one of its events. */
export function evolveCloud(cloud: TrustedCloud | null, event: AuthorizationListEvent): TrustedCloud | null {
  if (event.type === "AuthorizationsTaken") return cloud && { ...cloud, seq: event.seq };
  const { url, issuer, keys } = event;
  return { url, issuer, keys, seq: isOf(cloud, event) ? cloud.seq : 0 };
}

/**
 * Returns whether a message is from the cloud that the hub trusts. A cloud publishes a key until everything
 * that it signed has expired; one that shows none of the known keys has lost them, and with them the numbers
 * of its lists.
 */
function isOf(
  cloud: TrustedCloud | null,
  { url, issuer, keys }: Pick<CloudTrusted, "url" | "issuer" | "keys">,
): cloud is TrustedCloud {
  if (cloud?.url !== url || cloud.issuer !== issuer) return false;
  return keys.some(({ kid, x }) => cloud.keys.some((known) => known.kid === kid && known.x === x));
}

function trust(
  { id, url, issuer, keys }: Extract<AuthorizationListCommand, { type: "TRUST_CLOUD" }>,
  { cloud }: Hub,
  world: World,
): Decided {
  const said: CloudTrusted = { type: "CloudTrusted", id, url, issuer, keys: [...keys] };
  if (!isOf(cloud, said)) return [...listed(world).map(([user]) => unlisted(user)), said];
  return JSON.stringify(cloud.keys) === JSON.stringify(keys) ? [] : [said];
}

/**
 * Applies what the cloud has changed since its last list; changes made at the hub in the meantime stay. An
 * empty list keeps the owner: a hub always has one.
 */
function take(
  { id, seq, users }: Extract<AuthorizationListCommand, { type: "TAKE_AUTHORIZATIONS" }>,
  hub: Hub,
  world: World,
): Decided {
  const { cloud } = hub;
  if (cloud === null) return reject("wrong-state", "this hub belongs to no cloud");
  if (seq < cloud.seq) return reject("wrong-state", `the hub already has list number ${cloud.seq}`);
  const changed = users.filter((one) => {
    const user = world.get("user", one.id);
    return user?.listed !== one.role || user.keysFrom !== one.granted;
  });
  // Until that is on disk, the forgotten user's personal key still exists; a new user must not inherit it.
  if (changed.some((one) => isBeingForgotten(world.get("user", one.id), world.now)))
    return reject("wrong-state", "a user is being forgotten");
  const dropped = listed(world).filter(([, { id: user }]) => users.every((one) => one.id !== user));
  // Ownership that has moved at the hub stays there until the cloud gives it anew.
  const next = changed.find((one) => {
    const user = world.get("user", one.id);
    return (
      one.role === roles.OWNER_ADMIN && (user === undefined || user.forgotten || isGrantedAnew(user, one))
    );
  });
  const owner = next?.id ?? hub.owner;
  return [
    ...owned(hub, next, changed, world),
    ...changed.flatMap((one) => granted(one, one.id === owner, world)),
    ...dropped.flatMap((entry) => [unlisted(entry[0]), ...(entry[0] === owner ? [] : revoked(entry[1]))]),
    ...(seq === cloud.seq ? [] : [{ type: "AuthorizationsTaken" as const, id, seq }]),
  ];
}

function owned(
  { id, owner }: Hub,
  next: ListedUser | undefined,
  changed: readonly ListedUser[],
  world: World,
): (HubClaimed | OwnershipTransferred | UserEvent)[] {
  if (next === undefined || next.id === owner) return [];
  if (owner === null) return [{ type: "HubClaimed", id, owner: next.id }];
  const transferred = { type: "OwnershipTransferred", id, owner: next.id } as const;
  if (changed.some((one) => one.id === owner)) return [transferred];
  const former = world.get("user", owner);
  const isSame = former !== undefined && foldedEmail(former.user_info.user.email) === foldedEmail(next.email);
  return [
    transferred,
    { type: "UserRoleChanged", id: owner, role: roleAfterOwning(former) },
    // An owner who claimed the hub without the cloud has another id there.
    ...(isSame && former?.listed === null ? [{ type: "UserRevoked" as const, id: owner }] : []),
  ];
}

function roleAfterOwning(user: HubUser | undefined): number {
  const { listed: role = null } = user ?? {};
  return role === null || role === roles.OWNER_ADMIN ? roles.USER_ADMIN : role;
}

/** @param isOwner the owner's role only moves with the ownership */
function granted(listedUser: ListedUser, isOwner: boolean, world: World): UserEvent[] {
  const { id, email, nickname, role, granted: by } = listedUser;
  const user = world.get("user", id);
  const word: UserEvent = { type: "UserListed", id, role, granted: by };
  if (user === undefined || user.forgotten)
    return [{ type: "UserAdded", id, email, nickname, phone: null, role }, word];
  if (role === roles.OWNER_ADMIN && !isOwner) return [word];
  const wanted = isOwner ? roles.OWNER_ADMIN : role;
  return [
    ...(user.revoked && isGrantedAnew(user, listedUser) ? [{ type: "UserReinstated" as const, id }] : []),
    ...(user.user_info.role === wanted ? [] : [{ type: "UserRoleChanged" as const, id, role: wanted }]),
    word,
  ];
}

/** A cloud that did not send grant numbers before gives no new access with its first ones. */
function isGrantedAnew({ listed: before, keysFrom }: HubUser, { role, granted: by }: ListedUser): boolean {
  return before !== role || (keysFrom > 0 && by > keysFrom);
}

function isBeingForgotten(user: HubUser | undefined, now: number): boolean {
  return user?.forgotten === true && user.timestamp === now;
}

function listed(world: World): [string, HubUser][] {
  return [...world.all("user")].filter(([, user]) => user.listed !== null);
}

function unlisted(id: string): UserEvent {
  return { type: "UserListed", id, role: null, granted: 0 };
}

function revoked({ id, revoked: isRevoked }: HubUser): UserEvent[] {
  return isRevoked ? [] : [{ type: "UserRevoked", id }];
}
