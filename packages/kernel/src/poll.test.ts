import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import type { AnyDecider, CategoryType } from "@ledge/model";
import { aggregates, categories, roles } from "@ledge/model";
import type { Known, PollAnswer, TestKernel, TestKernelOptions } from "@ledge/testkit";
import { addLamp, openTestKernel, PollClient, pollOnce, seededRandom, SimulatedClock } from "@ledge/testkit";
import type { Cursors, Viewer } from "./viewer.ts";

const owner: Viewer = { role: roles.OWNER_ADMIN, user: "owner", since: 0 };
const guest: Viewer = { role: roles.GUEST, user: "guest", since: 0 };

const lamp = addLamp();

/** Opens a kernel in which each change gets a timestamp of its own, one second after the one before. */
function open(options: TestKernelOptions = {}): TestKernel & { change(command: object): Promise<string> } {
  const opened = openTestKernel({ clock: new SimulatedClock(1_000_000), ...options });
  const change = async (command: object): Promise<string> => {
    opened.clock.advance(1000);
    return opened.accept(command as Parameters<TestKernel["accept"]>[0]);
  };
  return { ...opened, change };
}

function poll({ kernel }: TestKernel, cursors: Cursors, viewer = owner, language = "en") {
  return pollOnce((request) => kernel.poll(request), { viewer, cursors, language });
}

/** Returns the part of an answer along `path` in the delta that has `field`. */
function shown(answer: PollAnswer, field: string, ...path: string[]): unknown {
  let value: unknown = answer.polls.find((delta) => field in delta)?.[field];
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}

const room = (name: string) => ({ type: "CMD_ROOM", name });

test("holds all ten categories in order in a full answer, even empty ones", async () => {
  const home = open();
  const id = await home.change(room("Hall"));
  const { timestamp } = home.kernel;
  assert.deepEqual(await poll(home, { ts: 0 }), {
    type: "POLL_DELTA",
    timestamp,
    full: true,
    polls: categories.map(({ type, field }) => ({
      type,
      timestamp,
      [field]: field === "rooms" ? { [id]: home.kernel.get("room", id) } : {},
    })),
  });
});

test("answers in full with timestamp 0 for an empty hub", async () => {
  const answer = await poll(open(), { ts: 0 });
  assert.deepEqual([answer.timestamp, answer.full, answer.polls.length], [0, true, 10]);
});

test("answers without polls and with the newest timestamp when nothing changed", async () => {
  const home = open();
  await home.change(room("Hall"));
  const ts = home.kernel.timestamp;
  const idle = { type: "POLL_DELTA", timestamp: ts, full: false, polls: [] };
  assert.deepEqual(await poll(home, { ts }), idle);
  // A change that no category shows advances the timestamp and is not reported.
  await home.change({ type: "SET_TIMER", id: "t", durationMs: 5000, late: "fire" });
  assert.deepEqual(await poll(home, { ts }), { ...idle, timestamp: ts + 1000 });
});

test("holds each change after the cursor once per category, in order, with null for deletions", async () => {
  const home = open();
  const [hall, attic, cellar] = [
    await home.change(room("Hall")),
    await home.change(room("Attic")),
    await home.change(room("Cellar")),
  ];
  const ts = home.kernel.timestamp;
  await home.change({ type: "REMOVE_ROOM", id: cellar });
  const device = await home.change(lamp);
  await home.change({ ...room("Loft"), id: attic });
  await home.change({ type: "CMD_DEVICE_META", id: device, room: [hall] });
  const answer = await poll(home, { ts });
  const timestamp = home.kernel.timestamp;
  assert.deepEqual(answer, {
    type: "POLL_DELTA",
    timestamp,
    full: false,
    polls: [
      {
        type: "DEVICE_DELTA",
        timestamp,
        devices: { [device]: home.kernel.render("device", device, owner, "en") },
      },
      { type: "ROOM_DELTA", timestamp, rooms: { [attic]: home.kernel.get("room", attic), [cellar]: null } },
    ],
  });
  assert.deepEqual((await poll(home, { ts: timestamp })).polls, []);
});

for (const [name, ts] of [
  ["0", 0],
  ["negative", -5],
  ["ahead of the log", 9_999_999_999],
] as const) {
  test(`answers in full for a cursor that is ${name}`, async () => {
    const home = open();
    await home.change(room("Hall"));
    assert.equal((await poll(home, { ts })).full, true);
  });
}

test("answers in full for a cursor before a forgotten deletion, with a delta at it", async () => {
  const home = open({ tombstones: 1 });
  const ids = [await home.change(room("a")), await home.change(room("b"))];
  const before = home.kernel.timestamp;
  await home.change({ type: "REMOVE_ROOM", id: ids[0] });
  const forgotten = home.kernel.timestamp;
  assert.equal((await poll(home, { ts: before })).full, false);
  await home.change({ type: "REMOVE_ROOM", id: ids[1] });
  assert.equal((await poll(home, { ts: before })).full, true);
  assert.equal((await poll(home, { ts: forgotten - 1 })).full, true);
  assert.equal((await poll(home, { ts: forgotten })).full, false);
});

test("answers in full once for a cursor of an earlier epoch", async () => {
  const home = open();
  const id = await home.change({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  const before = home.kernel.timestamp;
  await home.change({ type: "OPEN_EPOCH", id, reason: "restored" });
  const answer = await poll(home, { ts: before });
  assert.equal(answer.full, true);
  assert.equal((await poll(home, { ts: answer.timestamp })).full, false);
  await home.change(room("Hall"));
  assert.equal((await poll(home, { ts: answer.timestamp })).full, false);
});

test("answers in full once for a cursor from before a change of the viewer's rights", async () => {
  const home = open();
  await home.change(room("Hall"));
  const ts = home.kernel.timestamp;
  const since = ts + 1;
  assert.equal((await poll(home, { ts }, { ...owner, since })).full, true);
  assert.equal((await poll(home, { ts }, { ...owner, since: ts })).full, false);
});

const legacy = (entries: Partial<Record<CategoryType, number>>): Cursors => ({
  byCategory: new Map(Object.entries(entries) as [CategoryType, number][]),
});

test("selects categories by legacy cursors, each with its own cut", async () => {
  const home = open();
  const device = await home.change(lamp);
  const first = home.kernel.timestamp;
  const hall = await home.change(room("Hall"));
  const second = home.kernel.timestamp;
  await home.change({ type: "ADD_USER", id: "u", email: "", nickname: "U", phone: null, role: roles.GUEST });

  const cut = await poll(home, legacy({ DEVICE_DELTA: first, ROOM_DELTA: first }));
  assert.deepEqual([cut.full, cut.polls.map(({ type }) => type)], [false, ["ROOM_DELTA"]]);
  assert.deepEqual(Object.keys(cut.polls[0]?.["rooms"] as object), [hall]);
  const none = await poll(home, legacy({ DEVICE_DELTA: first, ROOM_DELTA: second }));
  assert.deepEqual(none.polls, []);
  const uneven = await poll(home, legacy({ DEVICE_DELTA: first - 1, ROOM_DELTA: second }));
  assert.deepEqual(Object.keys(uneven.polls[0]?.["devices"] as object), [device]);
  assert.equal(uneven.polls.length, 1);
});

test("answers all requested categories in full when one legacy cursor needs it", async () => {
  const home = open();
  await home.change(lamp);
  await home.change(room("Hall"));
  const answer = await poll(home, legacy({ ROOM_DELTA: 0, DEVICE_DELTA: home.kernel.timestamp }));
  assert.equal(answer.full, true);
  assert.deepEqual(
    answer.polls.map(({ type }) => type),
    ["DEVICE_DELTA", "ROOM_DELTA"],
  );
});

test("reports a hidden device as deleted to guests, and as changed to others", async () => {
  const home = open();
  const device = await home.change(lamp);
  const secret = await home.change({ ...lamp, native: "2" });
  await home.change({ type: "CMD_DEVICE_VISIBLE", id: secret, visible: false });
  const [forGuest, forOwner] = [new PollClient(), new PollClient()];
  const known = (client: PollClient): string[] => Object.keys(client.known["devices"] ?? {});
  const both = async (): Promise<unknown[]> => {
    const answers = [await forGuest.poll(home.kernel, guest), await forOwner.poll(home.kernel, owner)];
    return answers.map(({ polls }) => polls[0]?.["devices"] ?? {});
  };
  await both();
  assert.deepEqual([known(forGuest), known(forOwner)], [[device], [device, secret]]);

  await home.change({ type: "CMD_DEVICE_VISIBLE", id: device, visible: false });
  const [guestSaw, ownerSaw] = await both();
  assert.deepEqual(guestSaw, { [device]: null });
  assert.equal((ownerSaw as Record<string, { visible: boolean }>)[device]?.visible, false);
  assert.deepEqual(known(forGuest), []);

  await home.change({ type: "REMOVE_DEVICE", id: secret });
  assert.deepEqual(await both(), [{}, { [secret]: null }], "guests were told before, or never knew it");
  await home.change({ type: "REPORT_DEVICE", id: device, attributes: { isOn: true }, at: 5 });
  assert.deepEqual((await both())[0], {}, "guests hear nothing of a hidden device");
  await home.change({ type: "CMD_DEVICE_VISIBLE", id: device, visible: true });
  await both();
  assert.deepEqual(known(forGuest), [device]);
});

test("never reports an object that the viewer could not read, nor its deletion", async () => {
  const admins = withDelta("room", { readMask: () => 0xe0 });
  const home = open({ aggregates: admins });
  const client = new PollClient();
  const id = await home.change(room("Hall"));
  await client.poll(home.kernel, guest);
  await home.change({ ...room("Salon"), id });
  assert.deepEqual((await client.poll(home.kernel, guest)).polls, []);
  await home.change({ type: "REMOVE_ROOM", id });
  assert.deepEqual((await client.poll(home.kernel, guest)).polls, []);
});

function withDelta(kind: string, changes: Partial<NonNullable<AnyDecider["delta"]>>): AnyDecider[] {
  return aggregates.map((decider) =>
    decider.kind === kind && decider.delta
      ? { ...decider, delta: { ...decider.delta, ...changes } }
      : decider,
  );
}

test("renders objects with texts per language, and others once", async () => {
  let rendered = 0;
  const render = (state: unknown, { language }: { language: string }): object => {
    rendered++;
    return { ...(state as object), language };
  };
  const language = async (home: TestKernel, asked: string): Promise<unknown> => {
    const [id = ""] = [...home.kernel.all("room")].map(([key]) => key);
    return shown(await poll(home, { ts: 0 }, owner, asked), "rooms", id, "language");
  };
  const localised = open({ aggregates: withDelta("room", { localised: true, render }) });
  await localised.change(room("Hall"));
  for (const asked of ["en", "fi", "en", "fi"]) assert.equal(await language(localised, asked), asked);
  assert.equal(rendered, 2);
  const plain = open({ aggregates: withDelta("room", { render }) });
  await plain.change(room("Hall"));
  assert.equal(await language(plain, "fi"), "en");
});

test("serialises an object once per change, however many clients poll", async () => {
  let rendered = 0;
  const render = (state: unknown): object => {
    rendered++;
    return state as object;
  };
  const home = open({ aggregates: withDelta("room", { render }) });
  const id = await home.change(room("Hall"));
  for (let polls = 0; polls < 5; polls++) await poll(home, { ts: polls % 2 });
  assert.equal(rendered, 1);
  await home.change({ ...room("Salon"), id });
  for (let polls = 0; polls < 5; polls++) await poll(home, { ts: 1 });
  assert.equal(rendered, 2);
});

test("leaves nothing of a failed rendering in the next answer", async () => {
  let throws = false;
  const render = (state: unknown): object => {
    if (throws && (state as { name: string }).name === "Bad") throw new TypeError("bad");
    return state as object;
  };
  const home = open({ aggregates: withDelta("room", { render }) });
  const bad = await home.change(room("Bad"));
  const ts = home.kernel.timestamp;
  const good = await home.change(room("Good"));
  throws = true;
  await assert.rejects(async () => poll(home, { ts: ts - 1 }), TypeError);
  const answer = await poll(home, { ts });
  assert.deepEqual(Object.keys(answer.polls[0]?.["rooms"] as object), [good]);
  assert.ok(bad);
});

test("serves when a device was last heard of, without reporting it as a change", async () => {
  const home = open();
  const id = await home.change(lamp);
  const ts = home.kernel.timestamp;
  const lastSeen = (): unknown =>
    (home.kernel.render("device", id, owner, "en") as { state: { lastSeen: unknown } }).state.lastSeen;
  assert.equal(lastSeen(), null);
  assert.equal(shown(await poll(home, { ts: 0 }), "devices", id, "state", "lastSeen"), null);
  home.kernel.touch("device", id, 5000);
  home.kernel.touch("device", id, 4000);
  home.kernel.touch("device", "nowhere", 4000);
  assert.deepEqual((await poll(home, { ts })).polls, []);
  assert.equal(lastSeen(), 5000);
  assert.equal(shown(await poll(home, { ts: 0 }), "devices", id, "state", "lastSeen"), 5000);
  await home.change({ type: "REMOVE_DEVICE", id });
  home.kernel.touch("device", id, 6000);
  assert.equal(home.kernel.render("device", id, owner, "en"), undefined);
});

test("reports a group when a member changes", async () => {
  const home = open();
  const device = await home.change(lamp);
  const group = await home.change({ type: "CMD_GROUP", name: "All", members: [device] });
  await home.change({ type: "JOIN_GROUP", id: device, group });
  const ts = home.kernel.timestamp;
  await home.change({ type: "REPORT_DEVICE", id: device, attributes: { isOn: true }, at: 5 });
  const answer = await poll(home, { ts });
  assert.deepEqual(
    answer.polls.map(({ type }) => type),
    ["DEVICE_DELTA", "GROUP_DELTA"],
  );
  assert.equal(shown(answer, "groups", group, "state", "isOn"), true);
  assert.equal(shown(answer, "groups", group, "timestamp"), answer.timestamp);
});

test("hides hidden members of a group from guests", async () => {
  const home = open();
  const [shownOne, secret] = [await home.change(lamp), await home.change({ ...lamp, native: "2" })];
  const group = await home.change({ type: "CMD_GROUP", name: "All", members: [secret, shownOne] });
  for (const id of [shownOne, secret]) await home.change({ type: "JOIN_GROUP", id, group });
  const clients = { forGuest: new PollClient(), forOwner: new PollClient() };
  const both = async (): Promise<unknown[]> => {
    const answers = [
      await clients.forGuest.poll(home.kernel, guest),
      await clients.forOwner.poll(home.kernel, owner),
    ];
    return answers.map((answer) => shown(answer, "groups", group, "members"));
  };
  assert.deepEqual(await both(), [
    [secret, shownOne],
    [secret, shownOne],
  ]);
  await home.change({ type: "CMD_DEVICE_VISIBLE", id: secret, visible: false });
  assert.deepEqual(await both(), [[shownOne], undefined], "for others nothing has changed");
  await home.change({ type: "REPORT_DEVICE", id: secret, attributes: { isOn: true }, at: 5 });
  assert.deepEqual(
    await both(),
    [undefined, [secret, shownOne]],
    "guests do not learn that the device was heard of",
  );
  const restarted = home.restart();
  for (const { kernel } of [home, restarted]) {
    const render = (viewer: Viewer) => kernel.render("group", group, viewer, "en") as { state: unknown };
    assert.deepEqual(
      [render(guest).state, render(owner).state],
      [kernel.get("device", shownOne)?.state, kernel.get("device", secret)?.state],
    );
    const listed = JSON.parse(Buffer.from(kernel.dictionary("group", guest, "en")).toString("utf8"));
    assert.deepEqual(listed[group].members, [shownOne]);
  }
  await restarted.accept({ type: "REMOVE_GROUP", id: group });
  const gone = [
    await clients.forGuest.poll(restarted.kernel, guest),
    await clients.forOwner.poll(restarted.kernel, owner),
  ];
  assert.deepEqual(
    gone.map((answer) => shown(answer, "groups", group)),
    [null, null],
  );
});

test("shows in dictionary, render and readable what the viewer may read", async () => {
  const home = open();
  const { kernel } = home;
  const [a, b] = [await home.change(lamp), await home.change({ ...lamp, native: "2" })];
  await home.change({ type: "CMD_DEVICE_VISIBLE", id: b, visible: false });
  const of = (viewer: Viewer, ids?: string[]): Known =>
    JSON.parse(Buffer.from(kernel.dictionary("device", viewer, "en", ids)).toString()) as Known;
  assert.deepEqual(of(owner), {
    [a]: kernel.render("device", a, owner, "en"),
    [b]: kernel.render("device", b, owner, "en"),
  });
  assert.deepEqual(Object.keys(of(guest)), [a]);
  assert.deepEqual(Object.keys(of(owner, [b, "nowhere", b])), [b]);
  assert.deepEqual(of(guest, [b]), {});
  assert.equal(kernel.render("device", b, guest, "en"), undefined);
  assert.deepEqual([kernel.readable("device", b, guest), kernel.readable("device", b, owner)], [false, true]);
  assert.equal(
    Buffer.from(kernel.dictionary("timer", owner, "en")).toString(),
    "{}",
    "a kind without a category",
  );
});

test("writes ids and texts of any characters as JSON", async () => {
  const home = open();
  const name = 'Küche "\\ \u2028 日本 \u{1F4A1}';
  const id = 'u"ser\\ ';
  await home.change({ type: "ADD_USER", id, email: name, nickname: "", phone: null, role: roles.GUEST });
  const answer = await poll(home, { ts: 0 });
  assert.equal(shown(answer, "users", id, "user_info", "user", "email"), name);
  assert.deepEqual((await poll(home, { ts: answer.timestamp - 1 })).polls.length, 1);
});

test("writes a tab before each object and nowhere else, all in one line", async () => {
  const home = open();
  for (const name of ["tab\there", "line\nthere"])
    await home.change({
      type: "ADD_USER",
      id: name,
      email: name,
      nickname: "",
      phone: null,
      role: roles.GUEST,
    });
  const bytes = await home.kernel.poll({ viewer: owner, cursors: { ts: 0 }, language: "en" });
  const [, ...objects] = Buffer.from(bytes).toString().split("\t");
  assert.equal(objects.length, 2);
  for (const object of objects) assert.match(object, /^"[^"]+":\{"[^\n]*$/);
});

test("prepares a long full answer in slices, with its timestamp and the latest changes", async () => {
  const pauses: (() => Promise<void>)[] = [];
  const home = open({ pause: async () => pauses.shift()?.() });
  const ids: string[] = [];
  for (let index = 0; index < 1200; index += 300) {
    const { accepted, ...outcome } = await home.submit(
      Array.from({ length: 300 }, (_, number) => room(`${index + number}`)).slice(
        0,
        index === 900 ? 100 : 300,
      ),
    );
    assert.ok(accepted && "results" in outcome);
    for (const result of outcome.results) ids.push("id" in result ? (result.id ?? "") : "");
  }
  const ts = home.kernel.timestamp;
  const [first, second, third] = ids as [string, string, string];
  pauses.push(async () => {
    await home.change({ type: "REMOVE_ROOM", id: first });
    await home.change({ ...room("renamed"), id: second });
  });
  const client = new PollClient();
  const answered = home.kernel.poll({ viewer: owner, cursors: { ts: 0 }, language: "en" });
  assert.ok(answered instanceof Promise);
  client.apply(JSON.parse(Buffer.from(await answered).toString()));
  assert.deepEqual([pauses.length, client.cursor], [0, ts]);
  const rooms = client.known["rooms"] as Record<string, { name: string }>;
  assert.equal(Object.keys(rooms).length, 999);
  assert.deepEqual([rooms[first], rooms[second]?.name, rooms[third]?.name], [undefined, "renamed", "2"]);
  const next = await client.poll(home.kernel, owner);
  assert.deepEqual(Object.keys(next.polls[0]?.["rooms"] as object).length, 2);
  await setImmediate();
});

test("answers correctly with any mix of cached and new fragments", async () => {
  const home = open();
  const random = seededRandom(7);
  const ids: string[] = [];
  for (let index = 0; index < 150; index++)
    ids.push(await home.change(room(`Room ${index} ${"x".repeat(90)}`)));
  const told = new PollClient();
  for (let turn = 0; turn < 150; turn++) {
    const share = random(100);
    const changed = ids.filter(() => random(100) < share);
    for (const id of changed) await home.change({ ...room(`${turn} ${"y".repeat(random(120))}`), id });
    if (random(3) === 0) continue;
    const cursor = random(4) === 0 ? 0 : told.cursor;
    const answer = await poll(home, { ts: cursor });
    told.apply(answer);
    const rooms = Object.fromEntries(ids.map((id) => [id, home.kernel.get("room", id)]));
    assert.deepEqual(told.known["rooms"], rooms);
  }
});
