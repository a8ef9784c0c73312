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
