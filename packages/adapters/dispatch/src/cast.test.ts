import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import { Bench } from "./test-bench.ts";

const on = { isOn: true };
const off = { isOn: false };

test("sends a group command as one cast and settles each member by its answer", () => {
  const bench = new Bench().cast("c", "abc", on).is('cast 1 g a,b,c {"isOn":true}');
  bench.answers(1, "b").is("cb done").answers(1, "a").is("ca done").answers(1, "a").is();
  bench.answers(1, "c").is("cc done").ok(1).is();
  assert.deepEqual([bench.dispatch.waiting, bench.dispatch.due()], [0, undefined]);
});

test("a cast uses one place on its radio until every member has answered", () => {
  const bench = new Bench({ inFlight: () => 2 })
    .cast("c", "abc", on)
    .submit("d", "d", on)
    .submit("e", "e", on);
  bench.is('cast 1 g a,b,c {"isOn":true}', 'send 2 d {"isOn":true}');
  bench.answers(1, "a").answers(1, "b").answers(1, "c").is("ca done", "cb done", "cc done");
  bench.ok(1).is('send 3 e {"isOn":true}');
});

test("a member that has answered is free while the cast waits for others", () => {
  const bench = new Bench({ inFlight: () => 2 }).cast("c", "ab", on).answers(1, "a").submit("x", "a", off);
  bench.is('cast 1 g a,b {"isOn":true}', "ca done", 'send 2 a {"isOn":false}');
});

test("sends singly at once to a member that missed a cast, with the usual retries", () => {
  const bench = new Bench({ inFlight: () => 2 }).cast("c", "ab", on, { ttlMs: 60_000 });
  bench.answers(1, "a", "refused").is('cast 1 g a,b {"isOn":true}', 'send 2 a {"isOn":true}');
  bench.answers(1, "b").ok(1).is("cb done").fails(2).until(1000).is('send 3 a {"isOn":true}');
  bench.fails(3).until(5000).fails(4).until(20_000).fails(5);
  bench.is('send 4 a {"isOn":true}', 'send 5 a {"isOn":true}', "ca failed unreachable");
});

for (const [what, ends] of [
  ["fails", (bench: Bench) => bench.fails(1, "refused")],
  ["ends without some answers", (bench: Bench) => bench.ok(1)],
] as const) {
  test(`when a cast ${what}, sends singly to members that have not answered`, () => {
    const bench = new Bench().cast("c", "abc", on).answers(1, "b");
    ends(bench).is('cast 1 g a,b,c {"isOn":true}', "cb done", 'send 2 a {"isOn":true}');
    bench.ok(2).is("ca done", 'send 3 c {"isOn":true}').ok(3).is("cc done");
  });
}

test("cancels a cast once that the adapter never answers, and frees its members on its outcome", () => {
  const bench = new Bench({ sendTimeoutMs: 1000 }).cast("c", "ab", on).until(3000);
  bench.is('cast 1 g a,b {"isOn":true}', "cancel 1").fails(1, "timeout");
  bench.is('send 2 a {"isOn":true}').ok(2).is("ca done", 'send 3 b {"isOn":true}');
});

test("a forgotten member does not end a cast for the others", () => {
  const bench = new Bench().cast("c", "ab", on).is('cast 1 g a,b {"isOn":true}');
  bench.did(bench.dispatch.forget("a", 0)).is("ca failed refused");
  bench.did(bench.dispatch.forget("b", 0)).is("cancel 1", "cb failed refused");
});

test("closes a waiting cast when a member is forgotten: the others get the command singly", () => {
  const bench = new Bench().submit("y", "y", on).cast("c", "abc", on).is('send 1 y {"isOn":true}');
  bench.did(bench.dispatch.forget("c", 0)).is("cc failed refused");
  bench.submit("n", "c", off).ok(1).is("y done", 'send 2 a {"isOn":true}');
  bench.ok(2).is("ca done", 'send 3 b {"isOn":true}').ok(3).is("cb done", 'send 4 c {"isOn":false}');
});

test("sends singly to a busy member later, while the others get the cast", () => {
  const bench = new Bench({ inFlight: () => 2 }).submit("x", "a", off).cast("c", "abc", on);
  bench
    .is('send 1 a {"isOn":false}', 'cast 2 g b,c {"isOn":true}')
    .ok(1)
    .is("x done", 'send 3 a {"isOn":true}');
});

test("merges a member's waiting command with its share and sends both singly after the cast", () => {
  const bench = new Bench().submit("y", "y", on).submit("x", "a", { brightness: 0.2 }).cast("c", "abc", on);
  bench.is('send 1 y {"isOn":true}').ok(1).is("y done", 'cast 2 g b,c {"isOn":true}');
  bench.ok(2).is('send 3 a {"brightness":0.2,"isOn":true}');
});

test("a newer cast supersedes a waiting one", () => {
  const bench = new Bench().submit("y", "y", on).cast("c", "ab", on).cast("d", "ab", off);
  bench
    .ok(1)
    .is('send 1 y {"isOn":true}', "ca superseded", "cb superseded", "y done", 'cast 2 g a,b {"isOn":false}');
});

test("closes a waiting cast when a member gets a newer command: all get theirs singly", () => {
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

test("sends a cast only once: busy members get the command singly", () => {
  const bench = new Bench({ inFlight: () => 4 })
    .submit("x", "a", off)
    .submit("z", "b", off)
    .cast("c", "abcd", on);
  bench.is('send 1 a {"isOn":false}', 'send 2 b {"isOn":false}', 'cast 3 g c,d {"isOn":true}').ok(1).ok(2);
  bench.is("x done", 'send 4 a {"isOn":true}', "z done", 'send 5 b {"isOn":true}');
});

test("never casts impulses", () => {
  const bench = new Bench({ inFlight: () => 3 }).cast("i", "ab", { sirenOn: true }, { absolute: false });
  bench.is('send 1 a {"sirenOn":true}', 'send 2 b {"sirenOn":true}');
});

test("does not cast a command that one member has no room for, since a cast would reach it too", () => {
  const bench = new Bench({ inFlight: () => 3, queued: 2 }).cast("c", "abc", on);
  bench.is("cc failed busy", 'send 1 a {"isOn":true}', 'send 2 b {"isOn":true}');
});

test("an echo settles a member that missed a cast", () => {
  const bench = new Bench().cast("c", "ab", on).answers(1, "a", "unreachable");
  bench.is('cast 1 g a,b {"isOn":true}');
  bench.did(bench.dispatch.report("a", on, 100).effects).is("ca done");
});

test("a newer cast goes out without waiting when it supersedes all of the one before", () => {
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

test("a newer cast that supersedes only part waits a moment for answers, then goes to free members", () => {
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

test("a single command waits for its device's answer to a cast", () => {
  const bench = new Bench({ inFlight: () => 4 }).cast("c", "ab", on).submit("n", "a", off);
  bench.is('cast 1 g a,b {"isOn":true}').answers(1, "a").is("ca done", 'send 2 a {"isOn":false}');
});

test("a newer cast goes only to free members and supersedes the older one there", () => {
  const bench = new Bench({ inFlight: () => 4 }).cast("c", "abc", on).answers(1, "a").submit("x", "a", off);
  bench.is('cast 1 g a,b,c {"isOn":true}', "ca done", 'send 2 a {"isOn":false}').cast("d", "abc", off);
  bench.is("cb superseded", "cancel 1", "cc superseded", 'cast 3 g b,c {"isOn":false}');
  bench.ok(2).is("x done", 'send 4 a {"isOn":false}');
});
