import { isRole, limits, roles } from "@ledge/model";
import { type IssuerKey, type KeySet, sign, type TokenProblem, verifySigned } from "./signed.ts";

/** The users with access to a hub; nobody else has any. */
export interface AuthorizationList {
  readonly hub_id: string;
  /** It only grows: a list with a lower number is outdated. */
  readonly seq: number;
  /** Exactly one of them is the owner; empty while the hub has no owner. */
  readonly users: readonly ListedUser[];
}

export interface ListedUser {
  readonly user_id: string;
  readonly email: string;
  readonly nickname: string;
  /** One role bit of hub-api 5.3. */
  readonly role: number;
  readonly owner: boolean;
  /** The number of the list that gave them access; older HubKeys are no longer theirs. */
  readonly granted: number;
}

/** `stale`: its number is lower than that of a list that the hub already has. */
export type ListProblem = TokenProblem | "stale";

export type ListVerification =
  | { readonly list: AuthorizationList; readonly problem?: undefined }
  | { readonly problem: ListProblem; readonly list?: undefined };

const typ = "ledge-authorizations+jwt";

/**
 * Signs a list of users.
 * @param now ms since the epoch
 */
export function signAuthorizationList(
  { hub_id, seq, users }: AuthorizationList,
  issuer: string,
  key: Pick<IssuerKey, "kid" | "privateJwk">,
  now: number,
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const listed = users.map(({ user_id, email, nickname, role, owner, granted }) => {
    return { user_id, email, nickname, role, owner, granted };
  });
  return sign({ iss: issuer, aud: hub_id, iat, hub_id, seq, users: listed }, typ, key);
}

/**
 * Verifies a list of users. Lists do not expire: a hub without news goes on with its newest one.
 * @param trusted `seq` is the newest number that the hub has; 0 before the first list
 */
export async function verifyAuthorizationList(
  text: string,
  trusted: {
    readonly keys: KeySet;
    readonly issuers: readonly string[];
    readonly hubId: string;
    readonly seq: number;
  },
): Promise<ListVerification> {
  const { keys, issuers, hubId, seq } = trusted;
  const required = ["iat", "seq", "users"];
  const maxChars = limits.authorizationListChars;
  const signed = await verifySigned(text, { keys, issuers, audience: hubId, typ, required, maxChars }, 0);
  if (signed.problem !== undefined) return signed;
  const list = listOf(signed.payload);
  if (list === undefined || list.hub_id !== hubId) return { problem: "claims" };
  return list.seq < seq ? { problem: "stale" } : { list };
}

function listOf(payload: Readonly<Record<string, unknown>>): AuthorizationList | undefined {
  const { hub_id, seq, users } = payload;
  if (typeof hub_id !== "string" || !Number.isSafeInteger(seq) || (seq as number) < 0) return undefined;
  if (!Array.isArray(users) || users.length > limits.users) return undefined;
  const listed = users.map(listedUser);
  if (!listed.every((user) => user !== undefined)) return undefined;
  const owners = listed.filter(({ owner }) => owner).length;
  const isSound = new Set(listed.map(({ user_id }) => user_id)).size === listed.length;
  if (!isSound || owners !== Math.min(1, listed.length)) return undefined;
  return { hub_id, seq: seq as number, users: listed };
}

function listedUser(value: unknown): ListedUser | undefined {
  // Clouds before 0.2 do not send it.
  const { user_id, email, nickname, role, owner, granted = 0 } = (value ?? {}) as Record<string, unknown>;
  if (![user_id, email, nickname].every((text) => typeof text === "string") || user_id === "")
    return undefined;
  if (!isRole(role as number) || role === roles.ANONYMOUS || owner !== (role === roles.OWNER_ADMIN))
    return undefined;
  if (!Number.isSafeInteger(granted) || (granted as number) < 0) return undefined;
  return { user_id, email, nickname, role, owner, granted } as ListedUser;
}
