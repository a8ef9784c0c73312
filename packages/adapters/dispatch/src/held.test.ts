import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { Bench } from "./test-bench.ts";

test("holds commands while the adapter is away and sends them when it returns in time", () => {
  const bench = new Bench();
  bench.dispatch.hold();
  bench.submit("a1", "a", { isOn: true }).submit("b1", "b", { sirenOn: true }, { absolute: false }).is();
  bench.until(limits.commandTimeoutMs - 1).is();
  bench.did(bench.dispatch.resume(bench.now)).is('send 1 a {"isOn":true}');
  bench.ok(1).is("a1 done", 'send 2 b {"sirenOn":true}');
});

test("fails a command as unreachable when it expires while the adapter is away", () => {
  const bench = new Bench();
  bench.dispatch.hold();
  bench.submit("a1", "a", { isOn: true });
  assert.equal(bench.dispatch.due(), limits.commandTimeoutMs);
  bench.until(limits.commandTimeoutMs).is("a1 failed unreachable");
  bench.did(bench.dispatch.resume(bench.now)).is();
});

test("resends a command in flight at the adapter's death without backoff, but not an impulse", () => {
  const bench = new Bench({ inFlight: () => 2 });
  bench.submit("a1", "a", { isOn: true }).submit("b1", "b", { sirenOn: true }, { absolute: false });
  bench.lines.length = 0;
  bench.fails(1);
  bench.dispatch.hold();
  bench.fails(2).is("b1 failed unreachable").until(500);
  bench.did(bench.dispatch.resume(bench.now)).is('send 3 a {"isOn":true}');
});

test("the death of an adapter does not make its devices silent", () => {
  const bench = new Bench();
  bench.submit("a1", "a", { isOn: true }).submit("b1", "b", { isOn: true }).fails(1);
  bench.dispatch.hold();
  bench.fails(2).did(bench.dispatch.resume(bench.now));
  bench.lines.length = 0;
  // A silent device would come after this one.
  bench.submit("c1", "c", { isOn: true }).ok(3).is("a1 done", 'send 4 b {"isOn":true}');
});
