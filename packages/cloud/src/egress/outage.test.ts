// Receivers that are away or hang, and those that must not notice.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { TestEgress } from "./test-egress.ts";
import { answering, TestReceiver } from "./test-receiver.ts";

let world: TestEgress;
let receiver: TestReceiver;
let other: TestReceiver;
beforeEach(async () => {
  world = await TestEgress.open();
  [receiver, other] = [await TestReceiver.start(), await TestReceiver.start()];
});
afterEach(async () => {
  await world.remove();
  await Promise.all([receiver.stop(), other.stop()]);
});

const paths = (of: TestReceiver): string[] => of.events.map(({ path }) => path);

/** Makes sites with targets that hang, and an event in each. */
async function hangs(sites: readonly string[]): Promise<void> {
  for (const site of sites) {
    await world.site(site);
    for (let at = 0; at < limits.egressTargets; at++)
      await world.target(`target${at}`, receiver.url, { requestTimeoutSeconds: 60 }, site);
  }
  for (const site of sites) await world.entities(1, site);
}

test("hundreds of receivers that hang keep no other waiting, hold a bounded number of sockets, and end with the cloud", async () => {
  receiver.answer = () => {};
  const sites = Array.from({ length: 14 }, (_, at) => `hangs${at}`);
  await hangs(sites.slice(0, 5));
  await world.until("requests that hang", () => receiver.received.length >= limits.egressNewAtOnce);
  // One that is new waits for others that are, up to the second in which they may answer.
  await world.target("main", other.url);
  const made = await world.entities(25);
  await world.until("the other receiver's events", () => other.events.length >= 25, 100);
  assert.deepEqual(paths(other), made);
  const most = limits.egressNewAtOnce + limits.egressOverdueAtOnce;
  assert.ok(sites.length * limits.egressTargets > most);
  await hangs(sites.slice(5));
  await world.until("as many requests as may hang", () => receiver.connections.open >= most, 100);
  await world.test.clock.pass(10_000);
  assert.deepEqual([receiver.connections.most, receiver.received.length], [most, most]);
  // Who answers quickly has places of its own.
  made.push(...(await world.entities(25)));
  await world.until("more of the other receiver's events", () => other.events.length >= 50);
  const { figures } = world.egress;
  await world.stop();
  assert.deepEqual([figures.requests.later, paths(other)], [0, made]);
  await until("the end of all connections", () => receiver.connections.open === 0);
});

test("what a week has left for a receiver is sent in order once it is back, between the events of others", async () => {
  // A little less than what the cloud keeps.
  const [days, dayMs, perDay] = [7, limits.egressKeptMs / 7 - 3_600_000, 200];
  await world.site("busy");
  await world.target("main", receiver.url, { fetchMaxEvents: 1 });
  await world.target("other", other.url, {}, "busy");
  receiver.answer = answering(503);
  const made: string[] = [];
  for (let day = 0; day < days; day++) {
    made.push(...(await world.entities(perDay)));
    await world.test.goForward(dayMs - limits.egressSweepMs);
    await world.until("a try, or the end of tries", () => isStopped() || world.egress.counts.failing > 0);
    await world.test.clock.pass(limits.egressSweepMs);
  }
  await world.until("the end of tries", isStopped, 10_000);
  assert.ok(receiver.received.length > 0);
  receiver.received.length = 0;
  receiver.answer = answering(200);
  await world.enable("main", true);
  const others: string[] = [];
  for (let at = 0; at < 8; at++) {
    others.push(...(await world.entities(1, "busy")));
    await world.until("the event of another site", () => other.events.length === others.length);
  }
  // What is sent meanwhile is a part of the backlog that is far from the whole, however fast the disk is.
  assert.ok(receiver.events.length < made.length, "the backlog was sent first");
  await world.until("the whole backlog", () => receiver.events.length >= made.length);
  assert.deepEqual(paths(receiver), made);
  assert.deepEqual(paths(other), others);
  assert.deepEqual([receiver.received.length, world.egress.figures.lost], [made.length, 0]);
});

function isStopped(): boolean {
  return world.targetOf("main").stop !== null;
}
