import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import type { Reader } from "./reader.ts";
import { comes, short, WatchedRegister } from "./test-source.ts";
import type { Fetch, Session } from "./user-watch.ts";

const connection = (id: string): Session => ({ kind: "connection", id });
const register = { kind: "register", id: "home" } as const;

function fetching(home: WatchedRegister, user: string, sessionId: string): Fetch {
  const fetch = home.watching.beginFetch(user, { kind: "fetch", id: sessionId });
  assert.ok(typeof fetch === "object");
  return fetch;
}

function streaming(home: WatchedRegister, user: string, id: string): Reader {
  const reader = home.watching.openStream(user, connection(id));
  assert.ok(typeof reader === "object");
  return reader;
}

test("a subscription brings a snapshot, then changes", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  await home.register.set("b", 2);
  home.subscribe("ann", "s1");
  const { reader } = fetching(home, "ann", "s1");
  assert.deepEqual(await comes(reader), ["alive", "a=1", "b=2", "all 2"]);
  await home.register.set("a", 3);
  await home.register.set("b", undefined);
  assert.deepEqual(await comes(reader), ["a=3", "b gone"]);
  assert.deepEqual(home.errors, []);
});

test("every reader of a user gets all that the user watches, and other users nothing", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  const phone = streaming(home, "ann", "c1");
  const { reader: page } = fetching(home, "ann", "s2");
  const { reader: other } = fetching(home, "bob", "s2");
  home.subscribe("ann", "s1");
  for (const reader of [phone, page]) assert.deepEqual(await comes(reader), ["alive", "a=1", "all 1"]);
  await home.register.set("a", 2);
  for (const reader of [phone, page]) assert.deepEqual(await comes(reader), ["a=2"]);
  assert.deepEqual(await comes(other), ["alive"]);
});

test("a repeated subscription brings every reader another snapshot", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  home.subscribe("ann", "s1");
  const { reader } = fetching(home, "ann", "s1");
  const stream = streaming(home, "ann", "c1");
  await comes(reader);
  assert.deepEqual(await comes(stream), ["alive"]);
  home.subscribe("ann", "s1");
  assert.deepEqual(await comes(reader), ["a=1", "all 1"]);
  assert.deepEqual(await comes(stream), ["a=1", "all 1"]);
});

test("a slow reader gets the newest state of each device once", async () => {
  const home = new WatchedRegister();
  const reader = streaming(home, "ann", "c1");
  home.watching.subscribe("ann", connection("c1"), register);
  await comes(reader);
  for (let value = 1; value <= 100; value++)
    for (const device of "ab") await home.register.set(device, value);
  assert.deepEqual(await comes(reader), ["a=100", "b=100"]);
});

test("a change during a snapshot is not followed by the older state", async () => {
  const home = new WatchedRegister();
  for (const device of "abc") await home.register.set(device, 1);
  home.subscribe("ann", "s1");
  const { reader } = fetching(home, "ann", "s1");
  const { signal } = new AbortController();
  assert.deepEqual((await reader.next(signal)).map(short), ["alive"]);
  const next = reader.next(signal);
  await home.register.set("c", 2);
  const shown = (await next).map(short);
  assert.equal(
    shown.findLast((text) => text.startsWith("c")),
    "c=2",
  );
});

test("a session keeps what changes within a turn-around, and nothing over a longer gap", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  home.subscribe("ann", "s1");
  let fetch = fetching(home, "ann", "s1");
  await comes(fetch.reader);
  fetch.end();
  await home.register.set("a", 2);
  home.clock.advance(limits.pushTurnAroundMs - 1);
  fetch = fetching(home, "ann", "s1");
  assert.deepEqual(await comes(fetch.reader), ["alive", "a=2"]);
  fetch.end();
  await home.register.set("a", 3);
  home.clock.advance(limits.pushTurnAroundMs);
  assert.deepEqual(await comes(fetching(home, "ann", "s1").reader), ["alive"]);
});

test("a snapshot that a fetch did not finish goes to the session's next fetch", async () => {
  const home = new WatchedRegister();
  for (const device of "abc") await home.register.set(device, 1);
  home.subscribe("ann", "s1");
  const fetch = fetching(home, "ann", "s1");
  assert.deepEqual((await fetch.reader.next(fetch.signal)).map(short), ["alive"]);
  fetch.end();
  home.clock.advance(limits.pushTurnAroundMs + 1);
  const { reader } = fetching(home, "ann", "s1");
  assert.deepEqual(await comes(reader), ["alive", "a=1", "b=1", "c=1", "all 3"]);
});

test("a session that does not fetch holds its subscriptions for the idle grace", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  home.subscribe("ann", "s1");
  home.clock.advance(limits.pushIdleGraceMs - 1);
  const fetch = fetching(home, "ann", "s1");
  assert.deepEqual(await comes(fetch.reader), ["alive", "a=1", "all 1"]);
  home.clock.advance(10 * limits.pushIdleGraceMs);
  await home.register.set("a", 2);
  assert.deepEqual(await comes(fetch.reader), ["a=2"]);
  fetch.end();
  home.clock.advance(limits.pushIdleGraceMs - 1);
  assert.equal(home.register.followers, 1);
  home.clock.advance(1);
  assert.equal(home.register.followers, 0);
  assert.deepEqual(home.watching.size, { users: 0, things: 0 });
  const late = fetching(home, "ann", "s1");
  await home.register.set("a", 3);
  assert.deepEqual(await comes(late.reader), ["alive"]);
});

test("all sessions end with the platform, and leave no timer", async () => {
  const home = new WatchedRegister();
  home.subscribe("ann", "s1");
  home.watching.subscribe("bob", connection("c1"), register);
  const stream = streaming(home, "bob", "c1");
  const [under, paused] = [fetching(home, "ann", "s1"), fetching(home, "ann", "s2")];
  paused.end();
  for (const reader of [under.reader, stream]) await comes(reader);
  home.watching.stop();
  assert.equal(under.signal.aborted, true);
  under.end();
  // A stream ends with its connection.
  home.watching.closeStream("bob", connection("c1"), stream);
  assert.deepEqual(await Promise.all([comes(under.reader), comes(stream)]), [[], []]);
  assert.deepEqual([home.watching.size, home.clock.waiting], [{ users: 0, things: 0 }, 0]);
  home.subscribe("ann", "s3");
  const late = fetching(home, "ann", "s3");
  assert.deepEqual(await comes(late.reader), []);
  late.end();
  assert.deepEqual([home.watching.size, home.clock.waiting], [{ users: 0, things: 0 }, 0]);
});

test("the first session that leaves does not release what another one holds", async () => {
  const home = new WatchedRegister();
  const stream = streaming(home, "ann", "c1");
  home.watching.subscribe("ann", connection("c1"), register);
  home.subscribe("ann", "s1");
  await comes(stream);
  home.unsubscribe("ann", "s1");
  await home.register.set("a", 1);
  assert.deepEqual(await comes(stream), ["a=1"]);
  home.watching.endSession("ann", connection("c1"));
  assert.equal(home.register.followers, 0);
});

test("a session cannot release what it does not hold", async () => {
  const home = new WatchedRegister();
  home.subscribe("ann", "s1");
  home.unsubscribe("ann", "s2");
  home.unsubscribe("bob", "s1");
  home.watching.endSession("bob", connection("s1"));
  home.watching.endSession("ann", connection("s1"));
  assert.equal(home.register.followers, 1);
});

test("a connection holds its subscriptions while it is open, also without a stream", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  home.watching.subscribe("ann", connection("c1"), register);
  home.clock.advance(10 * limits.pushIdleGraceMs);
  const first = streaming(home, "ann", "c1");
  assert.deepEqual(await comes(first), ["alive", "a=1", "all 1"]);
  home.watching.closeStream("ann", connection("c1"), first);
  assert.deepEqual(await comes(first), []);
  home.watching.subscribe("ann", connection("c1"), register);
  assert.deepEqual(await comes(streaming(home, "ann", "c1")), ["alive", "a=1", "all 1"]);
  home.watching.endSession("ann", connection("c1"));
  assert.equal(home.watching.size.things, 0);
});

test("a newer fetch of a session ends the older one", async () => {
  const home = new WatchedRegister();
  home.subscribe("ann", "s1");
  const older = fetching(home, "ann", "s1");
  await comes(older.reader);
  const waiting = older.reader.next(older.signal);
  const newer = fetching(home, "ann", "s1");
  assert.deepEqual(await waiting, []);
  older.end();
  await home.register.set("a", 1);
  assert.deepEqual(await comes(newer.reader), ["alive", "a=1"]);
});

test("a reader gets a heartbeat after a time of silence", async () => {
  const home = new WatchedRegister();
  const reader = streaming(home, "ann", "c1");
  await comes(reader);
  const { signal } = new AbortController();
  const next = reader.next(signal);
  home.clock.advance(limits.pushHeartbeatMs - 1);
  let isThere = false;
  void next.then(() => (isThere = true));
  assert.deepEqual([await Promise.resolve(), isThere], [undefined, false]);
  home.clock.advance(1);
  assert.deepEqual((await next).map(short), ["alive"]);
});

test("a lost right releases the thing and says so", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  const reader = streaming(home, "ann", "c1");
  const other = streaming(home, "bob", "c2");
  home.watching.subscribe("ann", connection("c1"), register);
  home.watching.subscribe("bob", connection("c2"), register);
  await comes(reader);
  await comes(other);
  home.register.rights.set("ann", undefined);
  await home.register.set("a", 2);
  home.watching.recheck("register", "home", "revoked");
  assert.deepEqual(await comes(reader), ["released"]);
  assert.deepEqual(await comes(other), ["a=2"]);
  home.register.rights.set("ann", "all");
  await home.register.set("a", 3);
  assert.deepEqual(await comes(reader), []);
});

test("a hidden device is gone for a guest who has seen it, and unknown to others", async () => {
  const home = new WatchedRegister();
  home.register.rights.set("guest", "visible");
  await home.register.set("a", 1);
  await home.register.set("secret", -1);
  const owner = streaming(home, "ann", "c1");
  const guest = streaming(home, "guest", "c2");
  home.watching.subscribe("ann", connection("c1"), register);
  home.watching.subscribe("guest", connection("c2"), register);
  assert.deepEqual(await comes(owner), ["alive", "a=1", "secret=-1", "all 2"]);
  assert.deepEqual(await comes(guest), ["alive", "a=1", "all 1"]);
  await home.register.set("a", -2);
  await home.register.set("secret", -3);
  assert.deepEqual(await comes(guest), ["a gone"]);
  await home.register.set("a", -4);
  assert.deepEqual(await comes(guest), []);
});

test("a change is read once for all who watch", async () => {
  const home = new WatchedRegister();
  for (let user = 0; user < 50; user++) {
    streaming(home, `user${user}`, `c${user}`);
    home.watching.subscribe(`user${user}`, connection(`c${user}`), register);
  }
  await home.register.set("a", 1);
  assert.deepEqual([home.register.followers, home.register.asked], [1, 1]);
});

test("a user may watch a number of things, read in a number of readers, and ask for so many snapshots", () => {
  const home = new WatchedRegister();
  for (let count = 0; count < limits.watchedPerUser; count++) {
    if (count % limits.snapshotsPerMinute === 0) home.clock.advance(60_000);
    assert.equal(
      home.watching.subscribe("ann", connection("c"), { kind: "register", id: `${count}` }),
      undefined,
    );
  }
  home.clock.advance(60_000);
  assert.equal(home.watching.subscribe("ann", connection("c"), register), "things");
  for (let count = 1; count < limits.snapshotsPerMinute; count++)
    assert.equal(home.watching.subscribe("ann", connection("c"), { kind: "register", id: "0" }), undefined);
  assert.equal(home.watching.subscribe("ann", connection("c"), { kind: "register", id: "0" }), "snapshots");
  assert.equal(home.watching.subscribe("bob", connection("b"), register), undefined);
  for (let count = 0; count < limits.readersPerUser; count++) streaming(home, "ann", "c");
  assert.equal(home.watching.openStream("ann", connection("c")), "readers");
  assert.equal(home.watching.beginFetch("ann", { kind: "fetch", id: "f" }), "readers");
});

test("a user may have a number of sessions", () => {
  const home = new WatchedRegister();
  for (let count = 0; count < limits.pushSessionsPerUser; count++) {
    if (count % limits.snapshotsPerMinute === 0) home.clock.advance(60_000);
    home.watching.subscribe("ann", connection(`c${count}`), register);
  }
  home.clock.advance(60_000);
  assert.equal(home.watching.openStream("ann", connection("one more")), "sessions");
  home.watching.endSession("ann", connection("c1"));
  assert.equal(typeof home.watching.openStream("ann", connection("one more")), "object");
});
