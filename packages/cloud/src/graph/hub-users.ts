import { Refused } from "@ledge/link";
import { Id, isRejection, limits } from "@ledge/model";
import Type from "typebox";
import { sites } from "../http/sites.ts";
import type { Authorization } from "../hubs/sharing.ts";
import type { GraphCaller } from "./caller.ts";
import { languageFor } from "../mail/language-for.ts";
import { actsAlone } from "../model/client.ts";
import { Failed, failedBy, failureIn, invalidFields, notFound } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import { nameOf, roleNames, roleOf } from "./rights.ts";
import type { HubTarget } from "./hub-target.ts";

/** A user of a hub (platform-api 2.4). */
export const GraphUser = Type.Object({
  userId: Type.String(),
  email: Type.String(),
  role: Type.Enum([...roleNames]),
  /** Until when an invitation can be accepted (ms); null for a user with access. */
  invitedUntil: Type.Union([Type.Integer(), Type.Null()]),
});
export type GraphUser = Type.Static<typeof GraphUser>;

const Role = Type.Enum([...roleNames]);
/** The fields of an invitation, and of other changes of a user's access. */
export const invitationFields = {
  email: Type.Optional(Type.String({ maxLength: limits.emailChars })),
  clientId: Type.Optional(Id),
  role: Role,
};
export const userFields = { userId: Id };
export const roleFields = { userId: Id, role: Role };

interface Invitation {
  readonly email?: string;
  readonly clientId?: string;
  readonly role: (typeof roleNames)[number];
}

/** What the functions here need of a call. */
interface Asked {
  readonly caller: GraphCaller;
  readonly target: HubTarget;
  readonly parts: GraphParts;
}

/** Returns the users of a hub, invited ones included. Who may not administer it gets only themselves. */
export function usersOf({ caller, target, parts }: Asked): { users: GraphUser[] } | Failed {
  const found = parts.cloud.sharing.authorizations(caller.account, target.hubId);
  return isRejection(found) ? failedBy(found) : { users: found.map(userObject) };
}

/** Returns one of the users that `usersOf` lists. */
export function userOf(userId: string, asked: Asked): { user: GraphUser } | Failed {
  const found = usersOf(asked);
  if (found instanceof Failed) return found;
  const user = found.users.find((each) => each.userId === userId);
  return user ? { user } : notFound("user", userId, "userId");
}

/** Invites an address by mail, or adds a client: a program can accept nothing, and its tenant has made it for this. */
export async function invite(
  { email, clientId, role }: Invitation,
  { caller, target, parts }: Asked,
): Promise<{} | Failed> {
  if ((email === undefined) === (clientId === undefined))
    return invalidFields([{ field: "email", message: "name either an address or a client" }]);
  if (email !== undefined) return inviteByMail(email, role, { caller, target, parts });
  const { clients, sharing } = parts.cloud;
  const client = clientId === undefined ? undefined : clients.get(clientId);
  if (client === undefined || !actsAlone(client)) return notFound("client", String(clientId), "clientId");
  return failureIn(await sharing.add(caller.account, target.hubId, client.id, roleOf(role))) ?? {};
}

async function inviteByMail(
  email: string,
  role: Invitation["role"],
  { caller, target, parts }: Asked,
): Promise<{} | Failed> {
  const { cloud, mail, allowances, clock } = parts;
  const { account, address } = caller;
  const now = clock.monotonic();
  const tooMany =
    allowances.caller("invite", address, now) ?? allowances.email("invite", email, address, now);
  if (tooMany !== undefined) return new Failed("E_LIMIT", tooMany.message);
  const { hubId, registration } = target;
  const sent = await cloud.sharing.invite(account, { hubId, email, role: roleOf(role) });
  if (isRejection(sent)) return failedBy(sent);
  const site = sites.find((each) => each.isServed(registration.version));
  if (site === undefined) throw new Error(`no site serves ${registration.version}`);
  const language = languageFor(email, cloud.directory, cloud.kernel.get("account", account)?.language);
  const unsent = await mail.invitation(sent, site, language);
  return unsent instanceof Refused ? new Failed("E_BUSY", unsent.message) : {};
}

/** Changes the role of a user or of an invitation. */
export async function setRole(
  { userId, role }: { readonly userId: string; readonly role: (typeof roleNames)[number] },
  { caller, target, parts }: Asked,
): Promise<{} | Failed> {
  const { sharing } = parts.cloud;
  return failureIn(await sharing.setRoleOf(caller.account, target.hubId, userId, roleOf(role))) ?? {};
}

/** Revokes a user's access, or withdraws an invitation. */
export async function revoke(userId: string, { caller, target, parts }: Asked): Promise<{} | Failed> {
  return failureIn(await parts.cloud.sharing.revokeUser(caller.account, target.hubId, userId)) ?? {};
}

function userObject({ user_id: userId, email, role, invitedUntil }: Authorization): GraphUser {
  return { userId, email, role: nameOf(role), invitedUntil };
}
