import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRegisterStore, type RegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Nodes } from "./nodes.ts";

const clock = new SimulatedClock();
const names = Array.from({ length: 300 }, (_, at) => `user-${at}`);

async function join(registers: RegisterStore, name: string): Promise<Nodes> {
  const own = { name, instance: `run of ${name}`.replaceAll(" ", "-"), address: "127.0.0.1:1", url: "" };
  const nodes = new Nodes({ registers, own, clock, logger: createLogger("silent") });
  await nodes.begin();
  return nodes;
}

const homes = (nodes: Nodes): string[] => names.map((name) => nodes.homeOf(name).name);

test("all processes agree on homes, and only those of a process that has gone move", async () => {
  const registers = memoryRegisterStore(() => clock.wall());
  const [a, b, c] = [await join(registers, "a"), await join(registers, "b"), await join(registers, "c")];
  assert.deepEqual(new Set(homes(a)), new Set(["a"]), "who comes first sees the others later");
  let told = 0;
  a.onChanged(() => (told += 1));
  await clock.pass(limits.nodeRenewMs);
  assert.deepEqual([told, homes(a), homes(b)], [1, homes(c), homes(c)]);
  const before = homes(a);
  for (const name of ["a", "b", "c"]) assert.ok(before.filter((home) => home === name).length > 60, name);

  await b.leave();
  await a.refresh();
  for (const [at, home] of homes(a).entries())
    if (before[at] !== "b") assert.equal(home, before[at]);
    else assert.notEqual(home, "b");
  assert.deepEqual(homes(b), homes(a), "who leaves knows where its users go");

  a.note("run-of-c", false);
  assert.deepEqual(new Set(homes(a)), new Set(["a"]), "who does not answer is nobody's home");
  a.note("run-of-c", true);
  await a.leave();
  await clock.pass(limits.nodeLeaseMs);
  assert.deepEqual(new Set(homes(c)), new Set(["c"]));
  await c.leave();
});
