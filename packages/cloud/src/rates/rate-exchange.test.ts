import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryBus } from "@ledge/fleet";
import { Buckets } from "@ledge/link";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Digests } from "../keys/digests.ts";
import { shareRates } from "./rate-exchange.ts";

const most = 160;
const portion = most / limits.rateParts;
const key = Buffer.alloc(32, 1).toString("base64url");

/** Processes on one bus, each with a limit of its own. */
function processes(count: number, keys: readonly string[] = []) {
  const clock = new SimulatedClock();
  const messages: Uint8Array[] = [];
  const bus = memoryBus({
    after: (ms, then) => clock.after(ms, then),
    onError: (error) => assert.fail(`${error as Error}`),
  });
  bus.subscribe("rates", (_, bytes) => void messages.push(bytes));
  const each = Array.from({ length: count }, (_, at) => {
    const buckets = new Buckets(most, 1000);
    const digests = new Digests(keys[at] ?? key);
    const options = { bus, clock, digests, newId: () => `process-${at}` };
    const stop = shareRates(options, [{ shareRates: (share) => share("asks", buckets) }]);
    return { buckets, stop, take: (who = "caller") => buckets.take(who, clock.monotonic()) };
  });
  return { clock, each, messages };
}

/** How many requests are admitted when a caller asks each process in turn until all refuse. */
async function admitted({ each, clock }: ReturnType<typeof processes>): Promise<number> {
  for (let count = 0; ;) {
    const taken = each.map(({ take }) => take()).filter((seconds) => seconds === 0).length;
    if (taken === 0) return count;
    count += taken;
    // All in the same moment, but messages come along.
    if (count % portion < each.length) await clock.pass(limits.rateTellSoonMs);
  }
}

test("a caller who asks three processes in turn gets one allowance, and a stated slack", async () => {
  const count = await admitted(processes(3));
  // Refilled while messages were on their way.
  const refilled = ((count / portion) * limits.rateTellSoonMs * most) / 60_000;
  assert.ok(count >= most, `${count}`);
  assert.ok(count <= most + 2 * portion + 3 + refilled, `${count}`);
});

test("processes that do not hear each other count alone", async () => {
  const other = Buffer.alloc(32, 2).toString("base64url");
  assert.ok((await admitted(processes(2, [key, other]))) >= 2 * most, "two clouds on one broker");
});

test("what all spend in one moment is a debt that is paid before anybody is admitted again", async () => {
  const { clock, each } = processes(2);
  for (const { take } of each) for (let at = 0; at < most; at++) assert.equal(take(), 0);
  await clock.pass(limits.rateTellSoonMs);
  await clock.pass(59_000);
  assert.ok(each.every(({ take }) => take() > 0));
  await clock.pass(2000);
  assert.equal(each[0]?.take(), 0);
});

test("what is given back counts nowhere, and what was told once is not told again", async () => {
  const { clock, each, messages } = processes(2);
  const [one, other] = each;
  one?.take();
  one?.buckets.giveBack("caller", 0);
  await clock.pass(limits.rateTellMs);
  assert.equal(messages.length, 0);
  for (let at = 0; at < most; at++) assert.equal(other?.take(), 0);
  await clock.pass(limits.rateTellMs);
  assert.equal(messages.length, 1);
  assert.ok(!Buffer.from(messages[0] ?? []).includes("caller"), "the broker learns no addresses");
  one?.stop();
  other?.stop();
  assert.equal(clock.waiting, 0);
});

test("more callers than a message names are told at once", async () => {
  const { clock, each, messages } = processes(2);
  for (let at = 0; at < limits.rateCallers + 1; at++) each[0]?.take(`caller ${at}`);
  await clock.pass(0);
  assert.equal(messages.length, 1);
});
