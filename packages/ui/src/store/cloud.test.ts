import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { cloudToken } from "../api/call.ts";
import { askHubs, hubKeys, leaveCloud, logIn, openCloud, openedHub, openHubOf } from "./cloud.ts";
import { entry, home, leave, user } from "./home.ts";

type Respond = () => Promise<Response>;
const json = (value: unknown): Response => Response.json(value);
const away: Respond = async () => new Response("{}", { status: 503 });

/** What the browser keeps, and what the cloud and its relay answer, by the end of the path. */
let stored: Map<string, unknown>;
let answers: Record<string, Respond>;
/** Resolves before the browser reads. */
let reading: Promise<unknown>;

function hubKey(hub: string, of: string): string {
  return `h.${Buffer.from(JSON.stringify({ hub_id: hub, user_id: of })).toString("base64url")}.s`;
}

function request(act: () => unknown, before: Promise<unknown> = Promise.resolve()): EventTarget {
  const target = new EventTarget();
  const answer = async (): Promise<void> => {
    await before;
    Object.assign(target, { result: act() });
    target.dispatchEvent(new Event("success"));
  };
  void answer();
  return target;
}

const objectStore = (): object => ({
  get: (name: string) => request(() => stored.get(name), reading),
  put: (value: unknown, name: string) => request(() => void stored.set(name, value)),
  delete: (name: string) => request(() => void stored.delete(name)),
});

Object.assign(globalThis, {
  indexedDB: { open: () => request(() => ({ transaction: () => ({ objectStore }) })) },
  document: { documentElement: { dataset: { at: "cloud" } } },
  fetch: (url: string, { signal }: RequestInit) => {
    const path = Object.keys(answers).find((end) => url.split("?")[0]?.endsWith(end));
    const gone = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
    return Promise.race([((path && answers[path]) || away)(), gone]);
  },
});

beforeEach(async () => {
  stored = new Map();
  answers = {};
  reading = Promise.resolve();
  await leave();
  cloudToken.value = null;
  hubKeys.value = null;
});

test("shows no home of a hub in whose place another one was opened", async () => {
  const keys = { a: hubKey("a", "u"), b: hubKey("b", "u") };
  const answer = { timestamp: 5, full: true, polls: [{ devices: { lamp: { id: "lamp", state: {} } } }] };
  stored.set("snapshot", { of: "a u", role: 1, answer });
  hubKeys.value = keys;
  cloudToken.value = "token";
  const open = Promise.withResolvers<void>();
  reading = open.promise;
  const both = [openHubOf("a"), openHubOf("b")];
  open.resolve();
  assert.deepEqual(await Promise.all(both), [true, true]);
  assert.deepEqual([openedHub.peek(), entry.peek(), home.asOf.peek()], ["b", "in", 0]);
  assert.deepEqual(home.of.devices.ids.peek(), []);
  await leave();
});

test("enters no home that somebody has left while the browser still read what it keeps", async () => {
  hubKeys.value = { a: hubKey("a", "u") };
  cloudToken.value = "token";
  const open = Promise.withResolvers<void>();
  reading = open.promise;
  const opening = openHubOf("a");
  await leave();
  open.resolve();
  await opening;
  assert.deepEqual([entry.peek(), user.peek()], ["out", ""]);
});

test("takes hubs of the account that is logged in, not of the one before", async () => {
  const late = Promise.withResolvers<Response>();
  cloudToken.value = "first";
  answers = { "/user/hubkeys": () => late.promise };
  const asked = askHubs();
  answers = {
    "/user/emaillogin": async () => new Response("second"),
    "/user/hubkeys": async () => json({ b: "key" }),
  };
  await logIn("b@example.org", "password", false);
  late.resolve(json({ a: "key" }));
  await asked;
  assert.deepEqual(hubKeys.peek(), { b: "key" });
});

test("logs nobody out for the ended token of another account", async () => {
  const late = Promise.withResolvers<Response>();
  cloudToken.value = "first";
  answers = { "/user/hubkeys": () => late.promise };
  const asked = askHubs();
  cloudToken.value = "second";
  late.resolve(new Response("{}", { status: 401 }));
  await asked;
  assert.equal(cloudToken.peek(), "second");
});

test("keeps nothing of an account once it leaves, also while the cloud does not answer", async () => {
  const claims = Buffer.from(JSON.stringify({ exp: 4_000_000_000 })).toString("base64url");
  stored.set("cloudToken", `h.${claims}.s`);
  answers = { "/user/hubkeys": async () => json({}) };
  await openCloud();
  assert.equal(entry.peek(), "out");
  const out = Promise.withResolvers<Response>();
  answers = { "/user/logout": () => out.promise };
  const left = leaveCloud();
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  assert.deepEqual([...stored.keys()], []);
  out.resolve(json(true));
  await left;
  assert.equal(cloudToken.peek(), null);
});

test("forgets the home with a token that has ended", async () => {
  stored.set("cloudToken", "ended").set("hub", "a").set("snapshot", { of: "a u" });
  answers = { "/user/hubkeys": async () => new Response("{}", { status: 401 }) };
  await openCloud();
  assert.deepEqual([[...stored.keys()], entry.peek()], [[], "out"]);
});
