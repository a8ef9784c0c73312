import Type from "typebox";
import { roles } from "./access.ts";
import type { Decision, World } from "./decider.ts";
import { reject } from "./decider.ts";
import { foldedEmail } from "./email.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import type { Hub } from "./hub-state.ts";
import { limits } from "./limits.ts";
import type { UserEvent } from "./user.ts";

export type OwnershipCommand =
  /** To a user of the hub, or to a new one. */
  | { type: "TRANSFER_OWNERSHIP"; id: string; email: string }
  /** The hub itself is about to sign a key for the owner. */
  | { type: "NOTE_KEY_RECOVERED"; id: string };

export const OwnershipTransferred = defineEvent("OwnershipTransferred", 1, { owner: Type.String() });
export type OwnershipTransferred = EventOf<typeof OwnershipTransferred>;
export const HubClaimed = defineEvent("HubClaimed", 1, { owner: Type.String() });
export type HubClaimed = EventOf<typeof HubClaimed>;
export const KeyRecovered = defineEvent("KeyRecovered", 1, { user: Type.String() });

export type OwnershipEvent = OwnershipTransferred | EventOf<typeof KeyRecovered>;

/** Gives the hub its first owner. */
export function decideClaim(
  {
    email,
    userId,
    nickname,
  }: { readonly email: string; readonly userId?: string; readonly nickname?: string },
  { id, state }: Hub,
  world: World,
): Decision<HubClaimed | UserEvent> {
  if (state === "claimed") return reject("wrong-state", "this hub is claimed already");
  const owner = userId ?? world.newId();
  return [{ type: "HubClaimed", id, owner }, made(owner, email, false, nickname)];
}

/** Decides a transfer of ownership, or notes a recovered key. */
export function decideOwnership(
  command: OwnershipCommand,
  hub: Hub,
  world: World,
): Decision<OwnershipEvent | UserEvent> {
  const { id, owner } = hub;
  if (owner === null) return reject("wrong-state", "this hub has no owner: claim it first");
  if (command.type === "NOTE_KEY_RECOVERED") return [{ type: "KeyRecovered", id, user: owner }];
  const email = foldedEmail(command.email);
  const known = [...world.all("user")].find(
    ([, { user_info, revoked }]) => !revoked && foldedEmail(user_info.user.email) === email,
  );
  if (known?.[0] === owner) return [];
  if (known === undefined && world.size("user") >= limits.users)
    return reject("invalid", `at most ${limits.users} users`);
  const next = known?.[0] ?? world.newId();
  // One decision makes one commit, so there is always exactly one owner.
  return [
    { type: "OwnershipTransferred", id, owner: next },
    { type: "UserRoleChanged", id: owner, role: roles.USER_ADMIN },
    made(next, command.email, known !== undefined),
  ];
}

function made(
  id: string,
  email: string,
  isKnown: boolean,
  nickname = email.slice(0, email.indexOf("@")),
): UserEvent {
  const role = roles.OWNER_ADMIN;
  if (isKnown) return { type: "UserRoleChanged", id, role };
  return { type: "UserAdded", id, email, nickname, phone: null, role };
}
