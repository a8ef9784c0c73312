import assert from "node:assert/strict";
import { after, test } from "node:test";
import { memoryRegisterStore, type RegisterStore } from "@ledge/fleet";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { comes, WatchedRegister } from "../push/test-source.ts";
import type { Cluster } from "./cluster.ts";
import { Homes } from "./homes.ts";
import { joinNode, leaveNode } from "./test-nodes.ts";

const clock = new SimulatedClock();
const newRegisters = (): RegisterStore => memoryRegisterStore(() => clock.wall());
const shared = newRegisters();
const ends: (() => Promise<void>)[] = [];
after(() => Promise.all(ends.map((end) => end())));

/** A process of the cloud that only watches one register. */
interface Process {
  readonly home: WatchedRegister;
  readonly homes: Homes;
  readonly cluster: Cluster;
}

async function join(name: string, registers = shared): Promise<Process> {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  const cluster = await joinNode(name, registers, clock);
  const homes = new Homes({ cluster, watching: home.watching, clock, onError: assert.fail });
  cluster.take({
    passed: (incoming, outgoing) => void homes.answerPassed(incoming, outgoing),
    upgraded: (_incoming, socket) => void socket.destroy(),
  });
  ends.push(async () => {
    home.watching.stop();
    await leaveNode(cluster);
  });
  return { home, homes, cluster };
}

test("a user's subscriptions and fetches are at the home, and move along when it changes", async () => {
  const first = await join("first");
  const access = { tenant: "t", scopes: new Set(["home"]) };
  const session = { kind: "fetch", id: "s", access } as const;
  const thing = { kind: "register", id: "home" } as const;
  const names = Array.from({ length: 20 }, (_, at) => `user-${at}`);
  for (const user of names) assert.equal(await first.homes.subscribe(user, session, thing), undefined);
  const second = await join("second");
  await first.cluster.nodes.refresh();
  const moved = names.filter((user) => second.homes.elsewhere(user) === undefined);
  const held = ({ home }: Process): string[] => home.watching.fetching().map(({ user }) => user);
  assert.ok(moved.length > 3 && moved.length < 17, `${moved.length}`);
  await until("all have moved", () => held(second).length === moved.length);
  assert.deepEqual(held(second).toSorted(), moved.toSorted());
  assert.equal(held(first).length + moved.length, names.length);

  const [user = ""] = moved;
  const fetched = await first.homes.fetch(user, session, 30);
  assert.ok(fetched !== undefined && fetched.status === 200);
  const read = fetched.text();
  await clock.pass(50);
  assert.match(await read, /^\[\{"push":\{"type":"HeartbeatPush".*"deviceId":"a".*\]$/);
  await first.homes.unsubscribe(user, session, thing);
  assert.deepEqual(second.home.watching.fetching().find((one) => one.user === user)?.things, []);

  await second.homes.leave();
  await until("all are back", () => held(first).length === names.length - 1);
});

test("a fetch gives up a home that does not answer", async () => {
  const [here, there] = [await join("fetching"), await join("silent")];
  await here.cluster.nodes.refresh();
  const arrived = Promise.withResolvers<void>();
  there.cluster.take({
    passed: () => arrived.resolve(),
    upgraded: (_incoming, socket) => void socket.destroy(),
  });
  const user = Array.from({ length: 99 }, (_, at) => `user-${at}`).find(
    (name) => here.homes.elsewhere(name)?.name === "silent",
  );
  const before = clock.waiting;
  const fetched = here.homes.fetch(user ?? assert.fail(), { kind: "fetch", id: "s" }, 30);
  await arrived.promise;
  await clock.pass(limits.busAnswerMs);
  assert.equal(await fetched, undefined);
  assert.equal(clock.waiting, before);
});

test("everybody gets a snapshot when news may have been lost", async () => {
  const { home, homes, cluster } = await join("third");
  const user = Array.from({ length: 50 }, (_, at) => `user-${at}`).find(
    (name) => homes.elsewhere(name) === undefined,
  );
  assert.ok(user !== undefined);
  home.subscribe(user, "s");
  const fetch = home.watching.beginFetch(user, { kind: "fetch", id: "s" });
  assert.ok(typeof fetch === "object");
  assert.deepEqual(await comes(fetch.reader), ["alive", "a=1", "all 1"]);
  home.register.devices.set("a", 2);
  assert.deepEqual(await comes(fetch.reader), []);
  cluster.newsLost();
  assert.deepEqual(await comes(fetch.reader), ["a=2", "all 1"]);
});

test("hands many sessions over side by side, as many as the limit allows", async () => {
  const registers = newRegisters();
  const [from, to] = [await join("from", registers), await join("to", registers)];
  const most = limits.sessionsMovedAtOnce;
  const names = Array.from({ length: 6 * most }, (_, at) => `user-${at}`);
  const session = { kind: "fetch", id: "s" } as const;
  await from.cluster.nodes.refresh();
  for (const user of names) from.home.subscribe(user, session.id);
  let [running, peak, told] = [0, 0, 0];
  const { promise: filled, resolve: fill } = Promise.withResolvers<void>();
  to.cluster.serve("watch", async () => {
    running += 1;
    peak = Math.max(peak, running);
    if (running === most) fill();
    await filled;
    running -= 1;
    told += 1;
  });
  await from.homes.leave();
  assert.deepEqual([told, peak], [names.length, most]);
  assert.equal(from.home.watching.fetching().length, 0);
});

test("a session whose hand-over fails keeps no other one from its new home", async () => {
  const registers = newRegisters();
  const [from, to] = [await join("failing", registers), await join("refusing", registers)];
  const names = Array.from({ length: 3 * limits.sessionsMovedAtOnce }, (_, at) => `user-${at}`);
  await from.cluster.nodes.refresh();
  for (const user of names) from.home.subscribe(user, "s");
  to.cluster.serve("watch", () => Promise.reject(new Error("no")));
  // Here, what is told of a failure fails itself.
  await assert.rejects(from.homes.leave(), /status 500: no/);
  await until("all have left", () => from.home.watching.fetching().length === 0);
});
