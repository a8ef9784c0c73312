// The one home that the page shows, and everything that follows it.
import { computed, signal } from "@preact/signals";
import { type Answer, key, prefix, readOnly } from "../api/call.ts";
import { renewKey } from "../api/entry.ts";
import * as rows from "../api/rows.ts";
import { timezone } from "../api/setup.ts";
import { isOfCloud, keep, kept, nextTurn, onOnline, onShown, pause } from "../browser.ts";
import { homeZone } from "../zone.ts";
import { createHubClock, now, pastTime } from "./clock.ts";
import { forgetDrafts } from "./drafts.ts";
import { createFailures } from "./failures.ts";
import { endFirstSteps, openFirstSteps } from "./first-steps.ts";
import { endOf, homeOf, userOf } from "./hub-key.ts";
import { notices } from "./notices.ts";
import { createBreath, pace } from "./pace.ts";
import { endPanel } from "./panel.ts";
import { openPresence, presenceId, setPresence } from "./presence.ts";
import { readPoll } from "./read-poll.ts";
import { createStore } from "./store.ts";
import { createSync } from "./sync.ts";
import { createWanted } from "./wanted.ts";
import type { HubInfo, PollAnswer } from "./wire.ts";

/** `opening`: the page does not know yet; `out`: somebody must show a key. */
export type Entry = "opening" | "out" | "in";

export const entry = signal<Entry>("opening");
/** What the hub says of itself; null while it has not been reached. */
export const hub = signal<HubInfo | null>(null);
/** The role of the user; 0 while it is not known. */
export const role = signal(0);
/** The id of the user; empty while nobody is in. */
export const user = computed(() => userOf(key.value ?? ""));
export const home = createStore();
export const wanted = createWanted();
export const failures = createFailures();

const clock = createHubClock();
const tickMs = 10_000;
const keepEveryMs = 30_000;
const snapshotBytes = 3_000_000;

const breathe = createBreath(() => performance.now(), nextTurn);
const read = (text: string): Promise<PollAnswer> => readPoll(text, breathe);

export const sync = createSync(home, {
  async poll(cursor, stopped) {
    const ask = (): ReturnType<typeof rows.poll> =>
      rows.poll(cursor, pace.wait, stopped, read, isOfCloud() ? null : presenceId.peek());
    let answer = await ask();
    // The hub has come back with another version of its API.
    if (!answer.ok && answer.status === 410 && (await learnHub(stopped))) answer = await ask();
    if (answer.ok) {
      note(answer.value);
      return answer.value;
    }
    if (answer.status === 429) return (answer.retryAfterS ?? 1) * 1000;
    return answer.status === 401 ? "refused" : "away";
  },
  pause,
  breathe,
  awaits: () => wanted.awaits(),
  now: () => performance.now(),
  random: Math.random,
});

function note({ timestamp, polls }: PollAnswer): void {
  if (polls.length > 0) clock.note(timestamp, Date.now());
  for (const { devices = {} } of polls)
    for (const id of Object.keys(devices)) {
      const { [id]: device } = devices;
      if (device) wanted.reported(id, device.state);
    }
  // Every moment that a screen shows is drawn anew.
  if (Math.abs(now.peek() - timeShown()) > tickMs) tick();
}

function timeShown(): number {
  return pastTime.peek() ?? clock.at(Date.now());
}

function tick(): void {
  now.value = timeShown();
}

/** What a browser keeps of a home, so that the next visit shows it at once. */
interface Snapshot {
  /** As `homeOf` returns it. */
  readonly of: string;
  readonly role: number;
  readonly zone?: string | undefined;
  readonly answer: PollAnswer;
}

async function keepSnapshot(): Promise<void> {
  const shown = key.peek();
  if (shown === null || !isKept || home.asOf.peek() === 0 || pastTime.peek() !== null) return;
  const snapshot: Snapshot = {
    of: homeOf(shown),
    role: role.peek(),
    zone: homeZone.peek(),
    answer: home.snapshot(),
  };
  if (JSON.stringify(snapshot).length <= snapshotBytes) await keep("snapshot", snapshot);
}

/** Whether this browser may keep the key and the home. */
let isKept = false;

/** Whether this browser may keep what belongs to the home. */
export function mayKeepHome(): boolean {
  return isKept;
}

/** Follows time, visibility and network for as long as the page is open. */
export function openPage(): void {
  setInterval(tick, tickMs);
  setInterval(() => void keepSnapshot(), keepEveryMs);
  tick();
  onShown((isShown) => {
    if (entry.peek() !== "in" || pastTime.peek() !== null) return;
    if (isShown) sync.start();
    else {
      sync.stop();
      void keepSnapshot();
    }
    sync.hurry();
  });
  onOnline(() => sync.hurry());
}

/** Opens the page of a hub: with the key and the home that the browser has kept, if any. */
export async function openHub(): Promise<void> {
  void askHub();
  const held = await kept<string>("key");
  if (held === undefined) {
    entry.value = "out";
    return;
  }
  await openFirstSteps();
  await openPresence();
  await resume(held, true);
}

/** Enters with a key that was good before. @param keepsHome whether this browser keeps the home for the next visit */
export async function resume(held: string, keepsHome: boolean): Promise<void> {
  isKept = keepsHome;
  await take(held);
  const snapshot = await kept<Snapshot>("snapshot");
  // Somebody may have left meanwhile, or opened another home.
  if (key.peek() !== held) return;
  if (snapshot?.of === homeOf(held)) {
    role.value = snapshot.role;
    homeZone.value = snapshot.zone;
    home.apply(snapshot.answer);
  }
  begin();
}

/** Takes a key. Nothing of the home and user that the page showed before passes to others. */
async function take(next: string): Promise<void> {
  const before = key.peek();
  const isOther = before !== null && homeOf(before) !== homeOf(next);
  if (isOther) forgetShown();
  key.value = next;
  if (isOther) await forgetKept();
}

function forgetShown(): void {
  pastTime.value = null;
  readOnly.value = "";
  sync.stop();
  notices.value = [];
  role.value = 0;
  home.forget();
  failures.clear();
  homeZone.value = undefined;
}

async function forgetKept(): Promise<void> {
  await keep("key", undefined);
  await keep("snapshot", undefined);
  await setPresence(false);
  await forgetDrafts();
}

let asking = new AbortController();

/** Learns what the hub is and which API it serves; tries again until it answers. */
export async function askHub(): Promise<void> {
  asking.abort();
  asking = new AbortController();
  const { signal: left } = asking;
  while (!left.aborted && !(await learnHub(left))) await pause(pace.idle, left);
}

/** @returns whether the hub has said what it is */
async function learnHub(left: AbortSignal): Promise<boolean> {
  const answer = await rows.hub(left);
  if (left.aborted || !answer.ok) return false;
  hub.value = answer.value;
  prefix.value = `/cc/${answer.value.version.split(".").slice(0, 2).join(".")}`;
  return true;
}

function begin(): void {
  entry.value = "in";
  sync.start();
  void renew();
  void askRole();
  void askZone();
}

/** In their last days, keys of the hub itself are renewed (ms). */
const renewBefore = 30 * 86_400_000;

/** Renews the key of this browser if it ends soon. The hub refuses keys that it has not signed itself. */
async function renew(): Promise<void> {
  const held = key.peek();
  const ends = held === null ? Infinity : endOf(held);
  if (!isKept || isOfCloud() || ends - clock.at(Date.now()) > renewBefore) return;
  const answer = await renewKey();
  if (!answer.ok || key.peek() !== held) return;
  key.value = answer.value.key;
  await keep("key", answer.value.key);
}

/** Learns what the user may do now: a role may have changed since the last visit. */
async function askRole(): Promise<void> {
  const held = key.peek() ?? "";
  const answer = await rows.keyCheck(held);
  if (answer.ok && homeOf(key.peek() ?? "") === homeOf(held)) role.value = answer.value.role;
}

/** Learns in which zone the home is, and writes times so from then on. */
export async function askZone(): Promise<void> {
  const of = homeOf(key.peek() ?? "");
  const { signal: left } = new AbortController();
  for (;;) {
    const answer = await timezone(left);
    if (homeOf(key.peek() ?? "") !== of) return;
    if (answer.ok) homeZone.value = answer.value;
    if (answer.ok || answer.status !== 0) return;
    await pause(pace.idle, left);
  }
}

/** Enters with a key. @param keepsKey whether this browser keeps it for the next visit */
export async function enter(shown: string, keepsKey: boolean): Promise<Answer<unknown>> {
  const answer = await rows.keyCheck(shown);
  if (!answer.ok) return answer;
  isKept = keepsKey;
  // Whoever shows a key may leave the panel that this browser was.
  await endPanel();
  await take(shown);
  role.value = answer.value.role;
  if (keepsKey) await keep("key", shown);
  begin();
  // A hub that was set up just now has an owner.
  void askHub();
  return answer;
}

/** Returns the hub's time (ms), also while the page shows the past. */
export function hubTime(): number {
  return clock.at(Date.now());
}

/** Leaves the home, and has the browser forget key and home. */
export async function leave(): Promise<void> {
  asking.abort();
  isKept = false;
  key.value = null;
  forgetShown();
  await forgetKept();
  await endFirstSteps();
  await endPanel();
  entry.value = "out";
}
