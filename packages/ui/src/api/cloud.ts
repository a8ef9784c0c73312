// Rows of the cloud (hub-api 4.10), for the page that it serves itself.
import type { HubInfo } from "../store/wire.ts";
import { type Answer, call } from "./call.ts";

/** Has the cloud mail a one-time password. */
export function requestPassword(email: string): Promise<Answer<unknown>> {
  return call("/user/requestlogin", { method: "POST", ofCloud: true, query: { email } });
}

/** The cloud token for a one-time password. */
export function logIn(email: string, password: string): Promise<Answer<string>> {
  return call("/user/emaillogin", {
    method: "POST",
    ofCloud: true,
    isText: true,
    body: { email, password },
  });
}

/** A new cloud token; that of the caller stays valid. */
export function refreshToken(): Promise<Answer<string>> {
  return call("/user/refreshsession", { ofCloud: true, isText: true });
}

/** Ends the session of the caller's token. */
export function logOut(): Promise<Answer<true>> {
  return call("/user/logout", { method: "PUT", ofCloud: true });
}

/** HubKeys by the ids of the hubs that the account may enter. */
export function hubKeys(): Promise<Answer<Readonly<Record<string, string>>>> {
  return call("/user/hubkeys", { ofCloud: true });
}

/** What a hub is, asked through the relay. */
export function hubAt(key: string, signal: AbortSignal): Promise<Answer<HubInfo>> {
  return call("/hub", { unversioned: true, key, signal });
}

/** Somebody with access to a hub, or invited to it. */
export interface Authorization {
  readonly user_id: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: number;
  readonly owner: boolean;
  /** Until when an invitation can be accepted (ms); null for somebody with access. */
  readonly invitedUntil: number | null;
}

/** Who has access to a hub; the caller alone for somebody who gives none. */
export function authorizations(
  hubId: string,
  signal: AbortSignal,
): Promise<Answer<readonly Authorization[]>> {
  return call("/user/authorization", { ofCloud: true, query: { hubId }, signal });
}

export function setRole(hubId: string, email: string, role: number): Promise<Answer<true>> {
  return call("/user/authorization", { method: "POST", ofCloud: true, body: { hubId, email, role } });
}

/** Takes access from somebody, or takes an invitation back. */
export function revokeAccess(hubId: string, email: string): Promise<Answer<true>> {
  return call("/user/authorization", { method: "DELETE", ofCloud: true, body: { hubId, email } });
}

/** Has the cloud invite an address by mail. */
export function invite(hubId: string, email: string, role: number): Promise<Answer<true>> {
  return call("/user/invite", { method: "POST", ofCloud: true, body: { hubId, email, role } });
}

/** An invitation to the caller. */
export interface Invitation {
  readonly hubId: string;
  readonly name: string;
  readonly role: number;
  /** Mail address of whoever invites. */
  readonly by: string;
}

export function invitations(signal: AbortSignal): Promise<Answer<readonly Invitation[]>> {
  return call("/user/invitation", { ofCloud: true, signal });
}

export function accept(hubId: string): Promise<Answer<true>> {
  return call("/user/invitation", { method: "POST", ofCloud: true, query: { hubId } });
}

export function decline(hubId: string): Promise<Answer<true>> {
  return call("/user/invitation", { method: "DELETE", ofCloud: true, body: { hubId } });
}
