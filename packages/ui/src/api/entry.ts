// Rows by which people get in, let others in, and shut devices out.
import { type Answer, call } from "./call.ts";

/** LOGIN_KEY: a key that the hub has signed itself. */
export interface LoginKey {
  readonly type: "LOGIN_KEY";
  readonly key: string;
}

/** HUB_LOGIN: the address of the hub's cloud; null for none. */
export interface WaysIn {
  readonly cloud: string | null;
}

/** Whether people get in at this hub itself; older hubs answer 404. */
export function waysIn(signal: AbortSignal): Promise<Answer<WaysIn>> {
  return call("/hub/login", { signal });
}

/** Makes the caller the owner of a hub that has none. @param email of an account at the hub's cloud; empty for none */
export function setUp(
  code: string,
  nickname: string,
  name: string,
  email: string,
): Promise<Answer<LoginKey>> {
  const body = { code, nickname, name, ...(email !== "" && { email }) };
  return call("/hub/setup", { method: "POST", body });
}

/** LOGIN_BEGUN: the code is for people, the secret for `pollLogin`. */
export interface LoginBegun {
  readonly secret: string;
  readonly code: string;
  /** Seconds between two questions. */
  readonly interval: number;
}

/** Begins to wait to be let in. @param name of the device */
export function beginLogin(name: string): Promise<Answer<LoginBegun>> {
  return call("/hub/logins", { method: "POST", body: { name } });
}

/** The key once somebody has let the browser in. */
export function pollLogin(secret: string): Promise<Answer<LoginKey | { readonly type: "LOGIN_WAITS" }>> {
  return call("/hub/logins/poll", { method: "POST", body: { secret } });
}

/** LOGIN: a browser that waits to be let in. */
export interface Login {
  readonly code: string;
  readonly name: string;
  readonly address: string;
}

/** Who waits with a code. */
export function login(code: string): Promise<Answer<Login>> {
  return call("/hub/logins", { query: { code } });
}

/** Lets a browser in: as the caller, as another user, or as a panel. */
export function approveLogin(
  code: string,
  as: { readonly userId?: string; readonly panel?: boolean },
): Promise<Answer<unknown>> {
  return call("/hub/logins/approve", { method: "POST", body: { code, ...as } });
}

/** LOCAL_KEY: a key that the hub has signed itself. Times in ms since the epoch. */
export interface LocalKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly expires: number;
  /** Whether it is the key of this browser. */
  readonly current: boolean;
}

export function keys(signal: AbortSignal): Promise<Answer<Readonly<Record<string, LocalKey>>>> {
  return call("/hub/keys", { signal });
}

export function revokeKey(keyId: string): Promise<Answer<true>> {
  return call("/hub/keys", { method: "DELETE", query: { keyId } });
}

/** A new key in place of that of the caller, in its last 30 days. */
export function renewKey(): Promise<Answer<LoginKey>> {
  return call("/hub/keys/renew", { method: "POST" });
}

/** Shuts a user out for good, and forgets who it was: the log cannot be read of that any more. */
export function forgetUser(userId: string): Promise<Answer<true>> {
  return call("/hub/users", { method: "DELETE", query: { userId } });
}
