// The cloud's page: who is logged in there, and which of their hubs is open.
import { computed, signal } from "@preact/signals";
import { type Answer, cloudToken, type Failure } from "../api/call.ts";
import * as cloud from "../api/cloud.ts";
import { keep, kept } from "../browser.ts";
import { forgetDrafts } from "./drafts.ts";
import { askHub, entry, hub, leave, resume } from "./home.ts";
import { endOf } from "./hub-key.ts";
import { endPanel } from "./panel.ts";

/** HubKeys of the account by the ids of its hubs; null while the cloud has not told them. */
export const hubKeys = signal<Readonly<Record<string, string>> | null>(null);
/** Why the hubs of the account are not known; null without a reason. */
export const hubsFailure = signal<Failure | null>(null);
/** The hub whose home the page shows; empty for none. */
export const openedHub = signal("");
export const isLoggedIn = computed(() => cloudToken.value !== null);

/** In their last two weeks, tokens are renewed (hub-api 5). */
const renewBefore = 14 * 86_400_000;

/** Whether this browser may keep the token and the home. */
let keepsToken = false;

/** Opens the page with the token and the hub that the browser has kept, if any. */
export async function openCloud(): Promise<void> {
  const token = await kept<string>("cloudToken");
  if (token === undefined) {
    entry.value = "out";
    return;
  }
  keepsToken = true;
  cloudToken.value = token;
  const last = await kept<string>("hub");
  await askHubs();
  await renew(token);
  if (last === undefined || !(await openHubOf(last))) entry.value = "out";
}

/** Learns which hubs the account may enter. A token that has ended is forgotten. */
export async function askHubs(): Promise<void> {
  const token = cloudToken.peek();
  const answer = await cloud.hubKeys();
  // Another account may have logged in meanwhile.
  if (cloudToken.peek() !== token) return;
  hubsFailure.value = answer.ok ? null : answer;
  if (answer.ok) hubKeys.value = answer.value;
  else if (answer.status === 401) await forget();
}

async function renew(token: string): Promise<void> {
  if (endOf(token) - Date.now() > renewBefore || cloudToken.peek() !== token) return;
  const answer = await cloud.refreshToken();
  if (!answer.ok || cloudToken.peek() !== token) return;
  // The old one ends here, while it is still the caller's.
  await cloud.logOut();
  if (cloudToken.peek() !== token) return;
  cloudToken.value = answer.value;
  if (keepsToken) await keep("cloudToken", answer.value);
}

/** Logs in with a one-time password. @param keeps whether this browser keeps the token for the next visit */
export async function logIn(email: string, password: string, keeps: boolean): Promise<Answer<unknown>> {
  const answer = await cloud.logIn(email, password);
  if (!answer.ok) return answer;
  // Whoever logs in may leave the panel that this browser was.
  await endPanel();
  keepsToken = keeps;
  cloudToken.value = answer.value;
  if (keeps) await keep("cloudToken", answer.value);
  await askHubs();
  return answer;
}

/** Opens the home of a hub. @returns whether the account may enter it */
export async function openHubOf(id: string): Promise<boolean> {
  const key = hubKeys.peek()?.[id];
  if (key === undefined) return false;
  openedHub.value = id;
  hub.value = null;
  if (keepsToken) await keep("hub", id);
  // Another one may have been opened meanwhile.
  if (openedHub.peek() !== id) return true;
  await resume(key, keepsToken);
  if (entry.peek() === "in") void askHub();
  return true;
}

/** Goes back to the list of hubs. */
export async function leaveHub(): Promise<void> {
  await leave();
  openedHub.value = "";
  await keep("hub", undefined);
  await askHubs();
}

/** Logs out, and has the browser forget token and home. */
export async function leaveCloud(): Promise<void> {
  await leave();
  openedHub.value = "";
  // The cloud may be away, and the page be closed before it answers.
  await keep("cloudToken", undefined);
  await cloud.logOut();
  await forget();
}

async function forget(): Promise<void> {
  cloudToken.value = null;
  hubKeys.value = null;
  await keep("hub", undefined);
  await keep("snapshot", undefined);
  await keep("cloudToken", undefined);
  await endPanel();
  await forgetDrafts();
}
