import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { cloudToken } from "../api/call.ts";
import { askHubs, hubKeys, leaveCloud, logIn, openCloud, openedHub, openHubOf } from "./cloud.ts";
import { entry, home, leave, user } from "./home.ts";
import { openPanel, panel, startPanel } from "./panel.ts";
import { browser, hubKey, installBrowser, renewBrowser } from "./testdata/browser.ts";

const json = (value: unknown): Response => Response.json(value);

installBrowser();

beforeEach(async () => {
  renewBrowser();
  await leave();
  cloudToken.value = null;
  hubKeys.value = null;
});

test("shows no home of a hub in whose place another one was opened", async () => {
  const keys = { a: hubKey("a", "u"), b: hubKey("b", "u") };
  const answer = { timestamp: 5, full: true, polls: [{ devices: { lamp: { id: "lamp", state: {} } } }] };
  browser.stored.set("snapshot", { of: "a u", role: 1, answer });
  hubKeys.value = keys;
  cloudToken.value = "token";
  const open = Promise.withResolvers<void>();
  browser.reading = open.promise;
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
  browser.reading = open.promise;
  const opening = openHubOf("a");
  await leave();
  open.resolve();
  await opening;
  assert.deepEqual([entry.peek(), user.peek()], ["out", ""]);
});

test("takes hubs of the account that is logged in, not of the one before", async () => {
  const late = Promise.withResolvers<Response>();
  cloudToken.value = "first";
  browser.answers = { "/user/hubkeys": () => late.promise };
  const asked = askHubs();
  browser.answers = {
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
  browser.answers = { "/user/hubkeys": () => late.promise };
  const asked = askHubs();
  cloudToken.value = "second";
  late.resolve(new Response("{}", { status: 401 }));
  await asked;
  assert.equal(cloudToken.peek(), "second");
});

test("keeps nothing of an account once it leaves, also while the cloud does not answer", async () => {
  const claims = Buffer.from(JSON.stringify({ exp: 4_000_000_000 })).toString("base64url");
  browser.stored.set("cloudToken", `h.${claims}.s`);
  browser.answers = { "/user/hubkeys": async () => json({}) };
  await openCloud();
  assert.equal(entry.peek(), "out");
  const out = Promise.withResolvers<Response>();
  browser.answers = { "/user/logout": () => out.promise };
  const left = leaveCloud();
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  assert.deepEqual([...browser.stored.keys()], []);
  out.resolve(json(true));
  await left;
  assert.equal(cloudToken.peek(), null);
});

test("forgets home, drafts and panel with a token that has ended", async () => {
  browser.stored.set("cloudToken", "ended").set("hub", "a").set("snapshot", { of: "a u" });
  browser.stored.set("draft a u rule 1", { value: "typed" }).set("panel", { of: "home" });
  await openPanel();
  browser.answers = { "/user/hubkeys": async () => new Response("{}", { status: 401 }) };
  await openCloud();
  assert.deepEqual([[...browser.stored.keys()], entry.peek(), panel.peek()], [[], "out", null]);
});

test("leaves the panel that the browser was when somebody logs in", async () => {
  await startPanel("home", "2580");
  browser.answers = {
    "/user/emaillogin": async () => new Response("token"),
    "/user/hubkeys": async () => json({}),
  };
  await logIn("b@example.org", "password", true);
  assert.deepEqual([panel.peek(), browser.stored.has("panel")], [null, false]);
});
