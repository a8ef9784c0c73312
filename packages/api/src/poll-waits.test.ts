import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, type Client, openTestHub, type TestHub } from "./test-hub.ts";

interface Delta {
  readonly timestamp: number;
  readonly full: boolean;
  readonly polls: readonly Readonly<Record<string, unknown>>[];
}

describe("polls that wait", () => {
  let clock: SimulatedClock;
  let hub: TestHub;
  let api: Client;
  let owner: string;

  const begin = async (bounds: Parameters<typeof openTestHub>[2] = {}): Promise<void> => {
    clock = new SimulatedClock();
    hub = await openTestHub(memoryLog(), clock, bounds);
    api = hub.api("local");
    owner = await hub.sign();
    // The first request verifies the key; later ones are answered in the same turn.
    await api.send("GET", "/hub/poll", owner);
  };

  beforeEach(() => begin());

  const name = (text: string) => hub.run({ type: "CMD_ROOM", name: text });

  /** Begins a poll, and waits until it waits. */
  const wait = async (
    key = owner,
    query = `ts=${hub.kernel.timestamp}&wait=${limits.pollWaitMs}`,
    init: RequestInit = {},
    client = api,
  ): Promise<{ answer: Promise<Answer>; isDone: () => boolean }> => {
    let done = false;
    const answer = client.raw("GET", `/hub/poll?${query}`, key, init).finally(() => (done = true));
    await clock.pass(0);
    return { answer, isDone: () => done };
  };

  const deltaOf = ({ status, body }: Answer): Delta => {
    assert.equal(status, 200, JSON.stringify(body));
    return body as Delta;
  };

  for (const wrong of ["-1", String(limits.pollWaitMs + 1), "1.5", "soon", "1e3", "99999999999999999999"]) {
    test(`refuses to wait ${wrong} ms`, async () => {
      const { status, body } = await api.send("GET", `/hub/poll?ts=1&wait=${wrong}`, owner);
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), /"wait"/);
    });
  }

  test("answers at once when there is something new", async () => {
    const { timestamp } = hub.kernel;
    clock.advance(1);
    await name("Hall");
    const answer = await api.send("GET", `/hub/poll?ts=${timestamp}&wait=25000`, owner);
    assert.deepEqual([deltaOf(answer).full, deltaOf(answer).polls.length], [false, 1]);
    assert.equal(hub.ports.pollWaits.size, 0);
  });

  test("answers in full at once for a cursor of 0", async () => {
    assert.equal(deltaOf(await api.send("GET", "/hub/poll?ts=0&wait=25000", owner)).full, true);
  });

  for (const query of ["wait=0", "wait="]) {
    test(`answers at once with ${query}`, async () => {
      const { timestamp } = hub.kernel;
      const answer = await api.send("GET", `/hub/poll?ts=${timestamp}&${query}`, owner);
      assert.deepEqual(deltaOf(answer), { type: "POLL_DELTA", timestamp, full: false, polls: [] });
    });
  }

  test("answers a client with legacy cursors at once", async () => {
    const { timestamp } = hub.kernel;
    const answer = await api.send("GET", `/hub/poll?roomTs=${timestamp}&wait=25000`, owner);
    assert.equal(answer.status, 200);
  });

  for (const [when, spent, ms] of [
    ["after a pause, together with what follows within 10 ms", 1000, limits.pollFirstCompanyMs],
    ["again, 50 ms after its last answer", 7, limits.pollCompanyMs - 7],
  ] as const)
    test(`answers when something changes ${when}`, async () => {
      const first = await wait();
      clock.advance(1000);
      await name("Cellar");
      await clock.pass(limits.pollFirstCompanyMs);
      await first.answer;
      clock.advance(spent);
      const { answer, isDone } = await wait();
      await name("Hall");
      await clock.pass(ms - 1);
      await name("Attic");
      assert.equal(isDone(), false);
      await clock.pass(1);
      const { polls, timestamp } = deltaOf(await answer);
      assert.equal(Object.keys(polls[0]?.["rooms"] as object).length, 2);
      assert.equal(timestamp, hub.kernel.timestamp);
    });

  test("answers with the newest timestamp when the time is over", async () => {
    const { answer, isDone } = await wait(owner, `ts=${hub.kernel.timestamp}&wait=700`);
    await clock.pass(699);
    assert.equal(isDone(), false);
    await clock.pass(1);
    const { timestamp } = hub.kernel;
    assert.deepEqual(deltaOf(await answer), { type: "POLL_DELTA", timestamp, full: false, polls: [] });
    assert.equal(hub.ports.pollWaits.size, 0);
  });

  test("does not answer for what the caller may not read", async () => {
    const hidden = await hub.addDevice();
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: hidden, visible: false });
    const guest = await hub.user(roles.GUEST);
    await api.send("GET", "/hub/poll", guest.key);
    const { answer, isDone } = await wait(guest.key);
    clock.advance(10);
    await hub.run({ type: "REPORT_DEVICE", id: hidden, attributes: { isOn: true }, at: clock.wall() });
    await clock.pass(limits.pollCompanyMs);
    assert.equal(isDone(), false);
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: hidden, visible: true });
    await clock.pass(limits.pollCompanyMs);
    assert.deepEqual(Object.keys(deltaOf(await answer).polls[0]?.["devices"] as object), [hidden]);
  });

  test("refuses who loses access while waiting", async () => {
    const guest = await hub.user(roles.GUEST);
    await api.send("GET", "/hub/poll", guest.key);
    const { answer } = await wait(guest.key);
    await hub.run({ type: "REVOKE_USER", id: guest.id });
    await clock.pass(limits.pollCompanyMs);
    assert.equal((await answer).status, 401);
  });

  test("answers in full who gets another role while waiting", async () => {
    const user = await hub.user(roles.IDENTIFIED_USER);
    await api.send("GET", "/hub/poll", user.key);
    const { answer } = await wait(user.key);
    clock.advance(10);
    await hub.run({ type: "SET_USER_ROLE", id: user.id, role: roles.USER_ADMIN });
    await clock.pass(limits.pollCompanyMs);
    assert.equal(deltaOf(await answer).full, true);
  });

  test("refuses a key that expires while its poll waits", async () => {
    const key = await hub.sign({}, 8000);
    await api.send("GET", "/hub/poll", key);
    const { answer, isDone } = await wait(key);
    await clock.pass(7000);
    assert.equal(isDone(), false);
    await clock.pass(limits.pollWaitCheckMs);
    assert.equal((await answer).status, 401);
  });

  test("keeps the user of a waiting poll present", async () => {
    await wait(owner, `ts=${hub.kernel.timestamp}&wait=25000&vendor_uuid=tablet`);
    hub.polls.length = 0;
    await clock.pass(24_000);
    assert.deepEqual(
      hub.polls,
      Array.from({ length: 4 }, () => ({ user: "owner", client: "tablet", language: null })),
    );
  });

  test("forgets a poll whose client has gone", async () => {
    const leaving = new AbortController();
    await wait(owner, undefined, { signal: leaving.signal });
    assert.equal(hub.ports.pollWaits.size, 1);
    leaving.abort();
    assert.equal(hub.ports.pollWaits.size, 0);
  });

  test("leaves no timer behind", async () => {
    const before = clock.waiting;
    const { answer } = await wait();
    await name("Hall");
    await clock.pass(limits.pollCompanyMs);
    await answer;
    assert.equal(clock.waiting, before);
  });

  test("answers all who wait when the hub stops, and lets nobody wait then", async () => {
    const waiting = [await wait(), await wait()];
    hub.ports.pollWaits.close();
    for (const { answer } of waiting) assert.deepEqual(deltaOf(await answer).polls, []);
    assert.deepEqual(deltaOf(await (await wait()).answer).polls, []);
  });

  test("answers at once who finds no place, and says when to ask again", async () => {
    await begin({ pollWaiters: 3, pollWaitersPerUser: 3 });
    const waiting = [await wait(), await wait(), await wait()];
    const turnedAway = await (await wait()).answer;
    assert.deepEqual(deltaOf(turnedAway).polls, []);
    assert.equal(turnedAway.headers.get("retry-after"), String(limits.pollRetryS));
    await name("Hall");
    await clock.pass(limits.pollCompanyMs);
    for (const { answer } of waiting) {
      assert.equal(deltaOf(await answer).polls.length, 1);
      assert.equal((await answer).headers.get("retry-after"), null);
    }
    const next = await wait();
    assert.equal(next.isDone(), false);
  });

  test("has places for 256 polls, 64 of one user", async () => {
    const users = ["a", "b", "c", "d", "e"];
    const keys = await Promise.all(users.map((user_id) => hub.sign({ user_id, role: roles.GUEST })));
    for (const key of keys) await api.send("GET", "/hub/poll", key);
    for (const key of keys) {
      for (let place = 0; place < 70; place++) await wait(key);
    }
    assert.equal(limits.pollWaiters, 256);
    assert.equal(hub.ports.pollWaits.size, 256);
  });

  test("keeps half of the tunnel free for other requests", async () => {
    await begin({ pollWaitersRemote: 1 });
    const remote = hub.api("remote");
    await remote.send("GET", "/hub/poll", owner);
    const [first, second] = [
      await wait(owner, undefined, {}, remote),
      await wait(owner, undefined, {}, remote),
    ];
    assert.deepEqual([first.isDone(), second.isDone()], [false, true]);
    assert.equal((await wait()).isDone(), false);
  });
});
