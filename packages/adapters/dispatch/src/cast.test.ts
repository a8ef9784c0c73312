import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import { Bench } from "./test-bench.ts";

const on = { isOn: true };
const off = { isOn: false };

test("one command for a group is one cast, and each member's is done when it has answered", () => {
  const bench = new Bench().cast("c", "abc", on).is('cast 1 g a,b,c {"isOn":true}');
  bench.answers(1, "b").is("cb done").answers(1, "a").is("ca done").answers(1, "a").is();
  bench.answers(1, "c").is("cc done").ok(1).is();
  assert.deepEqual([bench.dispatch.waiting, bench.dispatch.due()], [0, undefined]);
});

test("a cast takes one place on its radio, until all of it is answered", () => {
  const bench = new Bench({ inFlight: () => 2 })
    .cast("c", "abc", on)
    .submit("d", "d", on)
    .submit("e", "e", on);
  bench.is('cast 1 g a,b,c {"isOn":true}', 'send 2 d {"isOn":true}');
  bench.answers(1, "a").answers(1, "b").answers(1, "c").is("ca done", "cb done", "cc done");
  bench.ok(1).is('send 3 e {"isOn":true}');
});

test("a member that has answered is free, while the cast waits for the others", () => {
  const bench = new Bench({ inFlight: () => 2 }).cast("c", "ab", on).answers(1, "a").submit("x", "a", off);
  bench.is('cast 1 g a,b {"isOn":true}', "ca done", 'send 2 a {"isOn":false}');
});

test("who misses a cast is told singly at once, with all the tries of any command", () => {
  const bench = new Bench({ inFlight: () => 2 }).cast("c", "ab", on, { ttlMs: 60_000 });
  bench.answers(1, "a", "refused").is('cast 1 g a,b {"isOn":true}', 'send 2 a {"isOn":true}');
  bench.answers(1, "b").ok(1).is("cb done").fails(2).until(1000).is('send 3 a {"isOn":true}');
  bench.fails(3).until(5000).fails(4).until(20_000).fails(5);
  bench.is('send 4 a {"isOn":true}', 'send 5 a {"isOn":true}', "ca failed unreachable");
});

for (const [what, ends] of [
  ["fails", (bench: Bench) => bench.fails(1, "refused")],
  ["ends without a word of some", (bench: Bench) => bench.ok(1)],
] as const) {
  test(`when a cast ${what}, those who have not answered are told singly`, () => {
    const bench = new Bench().cast("c", "abc", on).answers(1, "b");
    ends(bench).is('cast 1 g a,b,c {"isOn":true}', "cb done", 'send 2 a {"isOn":true}');
    bench.ok(2).is("ca done", 'send 3 c {"isOn":true}').ok(3).is("cc done");
  });
}

test("a cast that the adapter never answers is taken back once, and its members wait for that", () => {
  const bench = new Bench({ sendTimeoutMs: 1000 }).cast("c", "ab", on).until(3000);
  bench.is('cast 1 g a,b {"isOn":true}', "cancel 1").fails(1, "timeout");
  bench.is('send 2 a {"isOn":true}').ok(2).is("ca done", 'send 3 b {"isOn":true}');
});

test("a member that is gone does not end a cast for the others", () => {
  const bench = new Bench().cast("c", "ab", on).is('cast 1 g a,b {"isOn":true}');
  bench.did(bench.dispatch.forget("a", 0)).is("ca failed refused");
  bench.did(bench.dispatch.forget("b", 0)).is("cancel 1", "cb failed refused");
});

test("a cast that waits does not reach a member in its next life: the others are told singly", () => {
  const bench = new Bench().submit("y", "y", on).cast("c", "abc", on).is('send 1 y {"isOn":true}');
  bench.did(bench.dispatch.forget("c", 0)).is("cc failed refused");
  bench.submit("n", "c", off).ok(1).is("y done", 'send 2 a {"isOn":true}');
  bench.ok(2).is("ca done", 'send 3 b {"isOn":true}').ok(3).is("cb done", 'send 4 c {"isOn":false}');
});

test("a busy member is told singly, after what it is at; the others do not wait for it", () => {
  const bench = new Bench({ inFlight: () => 2 }).submit("x", "a", off).cast("c", "abc", on);
  bench
    .is('send 1 a {"isOn":false}', 'cast 2 g b,c {"isOn":true}')
    .ok(1)
    .is("x done", 'send 3 a {"isOn":true}');
});

test("what waits for a member travels along with its share, singly and after the cast", () => {
  const bench = new Bench().submit("y", "y", on).submit("x", "a", { brightness: 0.2 }).cast("c", "abc", on);
  bench.is('send 1 y {"isOn":true}').ok(1).is("y done", 'cast 2 g b,c {"isOn":true}');
  bench.ok(2).is('send 3 a {"brightness":0.2,"isOn":true}');
});

test("a newer cast takes the place of one that waits", () => {
  const bench = new Bench().submit("y", "y", on).cast("c", "ab", on).cast("d", "ab", off);
  bench
    .ok(1)
    .is('send 1 y {"isOn":true}', "ca superseded", "cb superseded", "y done", 'cast 2 g a,b {"isOn":false}');
});

test("a cast does not come after something newer for one of its members: all are told singly", () => {
  const bench = new Bench().submit("y", "y", on).cast("c", "ab", on).submit("n", "a", off);
  bench.ok(1).ok(2).ok(3);
  bench.is(
    'send 1 y {"isOn":true}',
    "ca superseded",
    "y done",
    'send 2 a {"isOn":false}',
    "n done",
    'send 3 b {"isOn":true}',
    "cb done",
  );
});

test("a cast goes out once: who was busy then is not told by another", () => {
  const bench = new Bench({ inFlight: () => 4 })
    .submit("x", "a", off)
    .submit("z", "b", off)
    .cast("c", "abcd", on);
  bench.is('send 1 a {"isOn":false}', 'send 2 b {"isOn":false}', 'cast 3 g c,d {"isOn":true}').ok(1).ok(2);
  bench.is("x done", 'send 4 a {"isOn":true}', "z done", 'send 5 b {"isOn":true}');
});

test("impulses are not cast", () => {
  const bench = new Bench({ inFlight: () => 3 }).cast("i", "ab", { sirenOn: true }, { absolute: false });
  bench.is('send 1 a {"sirenOn":true}', 'send 2 b {"sirenOn":true}');
});

test("what not every member has room for is not cast, as it would reach them all", () => {
  const bench = new Bench({ inFlight: () => 3, queued: 2 }).cast("c", "abc", on);
  bench.is("cc failed busy", 'send 1 a {"isOn":true}', 'send 2 b {"isOn":true}');
});

test("an echo ends what one missed of a cast", () => {
  const bench = new Bench().cast("c", "ab", on).answers(1, "a", "unreachable");
  bench.is('cast 1 g a,b {"isOn":true}');
  bench.did(bench.dispatch.report("a", on, 100).effects).is("ca done");
});

test("a newer cast does not wait for answers to the one before, of which it leaves nothing", () => {
  const bench = new Bench({ inFlight: () => 2 }).cast("c", "ab", on).cast("d", "ab", off);
  bench.is(
    'cast 1 g a,b {"isOn":true}',
    "ca superseded",
    "cancel 1",
    "cb superseded",
    'cast 2 g a,b {"isOn":false}',
  );
  bench.answers(1, "a").fails(1).is().answers(2, "a").answers(2, "b").is("da done", "db done");
});

test("one that leaves something of it waits for the answers a moment, and goes out to those who are free", () => {
  const dim = { brightness: 0.5 };
  const bench = new Bench({ inFlight: () => 9 }).cast("c", "abc", on).cast("d", "abc", dim);
  bench.answers(1, "a").answers(1, "b").is('cast 1 g a,b,c {"isOn":true}', "ca done", "cb done");
  bench.answers(1, "c").is("cc done", 'cast 2 g a,b,c {"brightness":0.5}');
  for (const native of "abc") bench.answers(2, native);
  bench.is("da done", "db done", "dc done").cast("e", "abc", on).cast("f", "abc", dim);
  bench.answers(3, "a").answers(3, "b").is('cast 3 g a,b,c {"isOn":true}', "ea done", "eb done");
  bench.until(limits.castWaitMs - 1).is();
  bench.until(limits.castWaitMs).is('cast 4 g a,b {"brightness":0.5}').answers(3, "c");
  bench.is("ec done", 'send 5 c {"brightness":0.5}');
});

test("a command to one device waits for its answer to a cast", () => {
  const bench = new Bench({ inFlight: () => 4 }).cast("c", "ab", on).submit("n", "a", off);
  bench.is('cast 1 g a,b {"isOn":true}').answers(1, "a").is("ca done", 'send 2 a {"isOn":false}');
});

test("a cast that only some can be reached by now overtakes one at those", () => {
  const bench = new Bench({ inFlight: () => 4 }).cast("c", "abc", on).answers(1, "a").submit("x", "a", off);
  bench.is('cast 1 g a,b,c {"isOn":true}', "ca done", 'send 2 a {"isOn":false}').cast("d", "abc", off);
  bench.is("cb superseded", "cancel 1", "cc superseded", 'cast 3 g b,c {"isOn":false}');
  bench.ok(2).is("x done", 'send 4 a {"isOn":false}');
});
