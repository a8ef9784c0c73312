import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import { Bench } from "./test-bench.ts";

test("a command goes out at once and is done when the device has taken it", () => {
  new Bench().submit("c1", "lamp", { isOn: true }).is('send 1 lamp {"isOn":true}').ok(1).is("c1 done");
});

test("what a device does once is merged with nothing, keeps its place, and is not tried again", () => {
  const bench = new Bench().submit("c1", "lamp", { isOn: true }).is('send 1 lamp {"isOn":true}');
  for (const id of ["i1", "i2"])
    bench.submit(id, "lamp", {}, { command: { type: "identify" }, absolute: false });
  bench.submit("c2", "lamp", { isOn: false }).is();
  bench.ok(1).is("c1 done", "send 2 lamp identify");
  bench.fails(2).is("i1 failed unreachable", "send 3 lamp identify");
  bench.ok(3).is("i2 done", 'send 4 lamp {"isOn":false}');
});

test("a radio takes no more than its limit, each radio for itself", () => {
  const bench = new Bench({ inFlight: (radio) => (radio === "air" ? 2 : 1) });
  for (const native of ["a", "b", "c"]) bench.submit(native, native, { isOn: true });
  bench.submit("w", "w", { isOn: true }, { radio: "wire" });
  bench.is('send 1 a {"isOn":true}', 'send 2 b {"isOn":true}', 'send 3 w {"isOn":true}');
  bench.ok(2).is("b done", 'send 4 c {"isOn":true}');
});

/** Devices that are said to be out of reach. */
function away(bench: Bench, natives: string): void {
  for (const native of natives)
    bench.did(bench.dispatch.report(native, { reachable: false }, bench.now).effects);
}

test("devices that do not answer leave one of a radio's places to the others", () => {
  const bench = new Bench({ inFlight: () => 3 });
  for (const native of "abc") bench.submit(`${native}1`, native, { isOn: true }, { ttlMs: 60_000 });
  bench.fails(1).fails(2, "timeout").fails(3);
  bench.lines.splice(0);
  bench.until(1000).is('send 4 a {"isOn":true}', 'send 5 b {"isOn":true}');
  for (const native of "de") bench.submit(`${native}1`, native, { isOn: true });
  bench.is('send 6 d {"isOn":true}');
  bench.ok(6).is("d1 done", 'send 7 e {"isOn":true}').ok(7).is("e1 done");
  bench.fails(4).is('send 8 c {"isOn":true}').ok(8).is("c1 done");
});

test("whoever is expected to answer comes first, on a radio with one place too", () => {
  const bench = new Bench();
  away(bench, "ab");
  for (const native of "abg") bench.submit(`${native}1`, native, { isOn: true });
  bench.is('send 1 a {"isOn":true}').fails(1, "refused").is("a1 failed refused", 'send 2 g {"isOn":true}');
  bench.ok(2).is("g1 done", 'send 3 b {"isOn":true}');
});

test("of the silent each has its turn, however often the same scene begins", () => {
  const bench = new Bench({ inFlight: () => 2 });
  const names = "abcd";
  away(bench, names);
  const tried: string[] = [];
  for (let scene = 0; scene < 4; scene++) {
    for (const native of names)
      bench.submit(`${native}${scene}`, native, { isOn: true }, { absolute: false });
    bench.fails(scene + 1, "timeout");
    bench.until(bench.now + limits.commandTimeoutMs);
    const sent = bench.lines.splice(0).filter((line) => line.startsWith("send"));
    tried.push(...sent.map((line) => line.split(" ")[2] ?? ""));
  }
  assert.deepEqual([...new Set(tried)].toSorted(), names.split(""));
});

test("a command to a device that is back goes out at once", () => {
  const bench = new Bench({ inFlight: () => 2 });
  away(bench, "ab");
  bench.submit("a1", "a", { isOn: true }).submit("b1", "b", { isOn: true });
  bench.is('send 1 a {"isOn":true}');
  bench.did(bench.dispatch.report("b", { reachable: true }, bench.now).effects);
  bench.is('send 2 b {"isOn":true}');
});

/** On a radio with one place a did not answer first, then b. */
function silentAThenB(): Bench {
  const bench = new Bench();
  for (const [index, native] of ["a", "b"].entries()) {
    bench.until(10 * index).submit(`${native}1`, native, { sirenOn: true }, { absolute: false });
    bench.fails(index + 1, "timeout");
  }
  bench.lines.splice(0);
  return bench.until(20);
}

test("whoever was tried again, with an answer that says nothing of it, comes after the other", () => {
  const bench = silentAThenB().submit("a2", "a", { sirenOn: true }, { absolute: false });
  bench.submit("a3", "a", { isOn: true }).submit("b2", "b", { isOn: true }).fails(3, "busy");
  bench.is('send 3 a {"sirenOn":true}', "a2 failed busy", 'send 4 b {"isOn":true}');
});

test("a report that a silent device cannot be reached does not put it behind the others", () => {
  const bench = silentAThenB().submit("x", "x", { isOn: true });
  bench.submit("b2", "b", { isOn: true }).submit("a2", "a", { isOn: true });
  bench.did(bench.dispatch.report("a", { reachable: false }, bench.now).effects).ok(3);
  bench.is('send 3 x {"isOn":true}', "x done", 'send 4 a {"isOn":true}');
});

test("a device that was forgotten is not silent in its next life", () => {
  const bench = new Bench({ inFlight: () => 2 });
  bench.submit("a1", "a", { isOn: true });
  bench.did(bench.dispatch.forget("a", bench.now)).fails(1);
  away(bench, "x");
  bench.submit("x1", "x", { isOn: true }).lines.splice(0);
  bench.submit("a2", "a", { isOn: true }).is('send 3 a {"isOn":true}');
});

test("an adapter that is busy says nothing of a device", () => {
  const bench = new Bench({ inFlight: () => 2 });
  away(bench, "ab");
  bench.submit("a1", "a", { isOn: true }, { ttlMs: 60_000 }).fails(1, "busy");
  bench.submit("b1", "b", { isOn: true }, { ttlMs: 60_000 }).lines.splice(0);
  bench.until(1000).is();
  bench.ok(2).is("b1 done", 'send 3 a {"isOn":true}');
});

test("a cast to those that are out of reach leaves a place, one that was missed says nothing of them", () => {
  const bench = new Bench({ inFlight: () => 2 });
  away(bench, "abcd");
  bench.cast("p", "ab", { isOn: true }).cast("q", "cd", { isOn: true });
  bench.submit("e1", "e", { isOn: true });
  assert.deepEqual(bench.lines.at(-1), 'send 2 e {"isOn":true}');
  const other = new Bench({ inFlight: () => 4 });
  other.cast("p", "abcd", { isOn: true }).lines.splice(0);
  other.ok(1);
  assert.equal(other.lines.filter((line) => line.startsWith("send")).length, 4);
});

test("a device that is said to be out of reach is not expected to answer", () => {
  const bench = new Bench({ inFlight: () => 2 });
  for (const native of ["a", "b"]) {
    bench.did(bench.dispatch.report(native, { reachable: false }, bench.now).effects);
    bench.submit(`${native}1`, native, { isOn: true });
  }
  bench.submit("c1", "c", { isOn: true });
  bench.is('send 1 a {"isOn":true}', 'send 2 c {"isOn":true}');
});

test("a device that was heard of again is one like others", () => {
  const bench = new Bench({ inFlight: () => 2 });
  for (const native of ["a", "b"]) bench.submit(`${native}1`, native, { isOn: true }, { ttlMs: 60_000 });
  bench.fails(1).fails(2);
  bench.lines.splice(0);
  bench.did(bench.dispatch.report("b", { reachable: true }, bench.now).effects);
  bench.until(1000).is('send 3 b {"isOn":true}', 'send 4 a {"isOn":true}');
});

test("one command per device is under way, however free the radio", () => {
  const bench = new Bench({ inFlight: () => 5 });
  bench.submit("c1", "lamp", { isOn: true }).submit("c2", "lamp", { brightness: 0.5 });
  bench.is('send 1 lamp {"isOn":true}').ok(1).is("c1 done", 'send 2 lamp {"brightness":0.5}');
});

test("devices take turns", () => {
  const bench = new Bench();
  bench
    .submit("a1", "a", { isOn: true })
    .submit("a2", "a", { isOn: false })
    .submit("b1", "b", { isOn: true });
  bench.ok(1).ok(2).ok(3);
  bench.is(
    'send 1 a {"isOn":true}',
    "a1 done",
    'send 2 b {"isOn":true}',
    "b1 done",
    'send 3 a {"isOn":false}',
    "a2 done",
  );
});

const merges: readonly [
  name: string,
  commands: readonly Record<string, unknown>[],
  frame: object,
  superseded: string[],
][] = [
  [
    "different attributes travel together",
    [{ brightness: 0.5 }, { isOn: true }],
    { brightness: 0.5, isOn: true },
    [],
  ],
  [
    "the last value wins",
    [{ brightness: 0.1 }, { brightness: 0.2 }, { brightness: 0.3 }],
    { brightness: 0.3 },
    ["c0", "c1"],
  ],
  [
    "what is half overtaken still goes",
    [{ isOn: true, brightness: 0.1 }, { brightness: 0.2 }],
    { isOn: true, brightness: 0.2 },
    [],
  ],
  [
    "a colour takes the place of a white",
    [
      { temperature: 2700, colorMode: "ct" },
      { hue: 1, saturation: 1, colorMode: "hs" },
    ],
    { hue: 1, saturation: 1, colorMode: "hs" },
    ["c0"],
  ],
  [
    "a white takes the place of a colour",
    [
      { hue: 1, saturation: 1 },
      { temperature: 2700, hue: -1 },
    ],
    { temperature: 2700, hue: -1 },
    ["c0"],
  ],
  ["a colour mode takes the place of both", [{ hue: 1 }, { colorMode: "ct" }], { colorMode: "ct" }, ["c0"]],
  ["hue and saturation belong together", [{ hue: 1 }, { saturation: 0.5 }], { hue: 1, saturation: 0.5 }, []],
  [
    "a position takes the place of a percentage",
    [{ liftPct: 10 }, { position: 0.5 }],
    { position: 0.5 },
    ["c0"],
  ],
  [
    "a transition goes with its target",
    [{ brightness: 0.1, transitionMsec: 5000 }, { brightness: 0.2 }],
    { brightness: 0.2 },
    ["c0"],
  ],
  [
    "a transition stays with what is left",
    [{ brightness: 0.1, transitionMsec: 5000 }, { isOn: true }],
    { brightness: 0.1, transitionMsec: 5000, isOn: true },
    [],
  ],
];
for (const [name, commands, frame, superseded] of merges) {
  test(`waiting commands merge: ${name}`, () => {
    const bench = new Bench().submit("first", "lamp", { isOn: false });
    for (const [index, attributes] of commands.entries()) bench.submit(`c${index}`, "lamp", attributes);
    bench.lines.splice(0, 1);
    bench.is(...superseded.map((id) => `${id} superseded`)).ok(1);
    bench.is("first done", `send 2 lamp ${JSON.stringify(frame)}`).ok(2);
    const sent = commands.map((_, index) => `c${index}`).filter((id) => !superseded.includes(id));
    bench.is(...sent.map((id) => `${id} done`));
  });
}

test("refreshes merge with each other and not with commands", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true })
    .refresh("r1", "a")
    .refresh("r2", "a")
    .submit("c2", "a", { isOn: false });
  bench.ok(1).ok(2).ok(3);
  bench.is(
    'send 1 a {"isOn":true}',
    "r1 superseded",
    "c1 done",
    "send 2 a refresh",
    "r2 done",
    'send 3 a {"isOn":false}',
    "c2 done",
  );
});

test("impulses are neither merged nor overtaken", () => {
  const bench = new Bench().submit("first", "s", { isOn: false });
  bench.submit("i1", "s", { sirenOn: true }, { absolute: false });
  bench.submit("i2", "s", { sirenOn: true }, { absolute: false });
  bench.submit("c", "s", { sirenOn: false });
  for (const send of [1, 2, 3, 4]) bench.ok(send);
  bench.is(
    'send 1 s {"isOn":false}',
    "first done",
    'send 2 s {"sirenOn":true}',
    "i1 done",
    'send 3 s {"sirenOn":true}',
    "i2 done",
    'send 4 s {"sirenOn":false}',
    "c done",
  );
});

for (const code of ["unreachable", "timeout", "busy"] as const) {
  test(`${code} is tried again after 1 s, 4 s and 15 s while the command lives`, () => {
    const bench = new Bench()
      .submit("c", "a", { isOn: true }, { ttlMs: 60_000 })
      .is('send 1 a {"isOn":true}');
    bench.fails(1, code).until(999).is();
    bench.until(1000).is('send 2 a {"isOn":true}').fails(2, code);
    bench.until(4999).is().until(5000).is('send 3 a {"isOn":true}').fails(3, code);
    bench.until(19_999).is().until(20_000).is('send 4 a {"isOn":true}').fails(4, code);
    bench.is(`c failed ${code}`);
    assert.equal(bench.dispatch.due(), undefined);
  });
}

test("a try that would come after the command's time is not waited for", () => {
  const bench = new Bench().submit("c", "a", { isOn: true }).fails(1).until(1000).fails(2).until(5000);
  bench.is('send 1 a {"isOn":true}', 'send 2 a {"isOn":true}', 'send 3 a {"isOn":true}');
  bench.fails(3).is("c failed unreachable");
});

test("a refusal is final", () => {
  new Bench()
    .submit("c", "a", { isOn: true })
    .fails(1, "refused")
    .is('send 1 a {"isOn":true}', "c failed refused");
});

test("an impulse is never tried again", () => {
  const bench = new Bench().submit("i", "s", { sirenOn: true }, { absolute: false });
  bench.fails(1).is('send 1 s {"sirenOn":true}', "i failed unreachable");
});

test("while one device pauses, others go on", () => {
  const bench = new Bench().submit("a1", "a", { isOn: true }).submit("b1", "b", { isOn: true });
  bench.fails(1).is('send 1 a {"isOn":true}', 'send 2 b {"isOn":true}');
});

test("a newer command does not wait for the pause, and takes the older along", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true })
    .fails(1)
    .until(300)
    .submit("c2", "a", { brightness: 0.4 });
  bench
    .is('send 1 a {"isOn":true}', 'send 2 a {"isOn":true,"brightness":0.4}')
    .ok(2)
    .is("c1 done", "c2 done");
});

test("a command that was overtaken while under way is not tried again", () => {
  const bench = new Bench().submit("c1", "a", { isOn: true }).submit("c2", "a", { isOn: false }).fails(1);
  bench.is('send 1 a {"isOn":true}', "c1 superseded", 'send 2 a {"isOn":false}');
});

test("a command whose time is over before its turn fails without being sent", () => {
  const bench = new Bench({ sendTimeoutMs: 60_000 }).submit("c1", "a", { isOn: true });
  bench.submit("c2", "b", { isOn: true }, { ttlMs: 500 }).until(499).is('send 1 a {"isOn":true}');
  bench.until(500).is("c2 failed timeout").ok(1).is("c1 done");
});

test("the time of a command counts since it was given", () => {
  const bench = new Bench({ sendTimeoutMs: 60_000 }).submit("x", "x", { isOn: true }).until(9000);
  bench.submit("c", "a", { isOn: true }, { givenAt: 0 }).until(limits.commandTimeoutMs - 1);
  bench.is('send 1 x {"isOn":true}').until(limits.commandTimeoutMs).is("c failed timeout");
  const late = new Bench();
  late.now = limits.refreshMs;
  const command = { type: "refresh" } as const;
  late.submit("r1", "a", {}, { command, givenAt: 0 }).is("r1 failed timeout");
  late.submit("r2", "a", {}, { command, givenAt: 1 }).is("send 1 a refresh");
});

test("an adapter that never answers counts as a timeout, and its late answer is ignored", () => {
  const bench = new Bench({ sendTimeoutMs: 3000 }).submit("c", "a", { isOn: true }, { ttlMs: 5500 });
  bench.until(4999).is('send 1 a {"isOn":true}');
  bench.until(5000).is("cancel 1", "c failed timeout");
  bench.ok(1).is();
});

test("the queue is bounded", () => {
  const bench = new Bench({ queued: 2 }).submit("c0", "x", { isOn: true });
  for (const id of ["c1", "c2", "c3"]) bench.submit(id, id, { isOn: true });
  bench.is('send 1 x {"isOn":true}', "c3 failed busy");
  assert.equal(bench.dispatch.waiting, 2);
  bench.ok(1).is("c0 done", 'send 2 c1 {"isOn":true}').submit("c4", "c4", { isOn: true }).is();
});

test("at the limit a command that merges into a waiting one needs no room", () => {
  const bench = new Bench({ queued: 2 }).submit("x", "x", { isOn: true });
  bench.submit("c1", "a", { isOn: true }).submit("c2", "b", { isOn: true }).is('send 1 x {"isOn":true}');
  bench.submit("off", "a", { isOn: false }).is("c1 superseded");
  bench.submit("dim", "b", { brightness: 0.1 }).is();
  bench.submit("i", "b", { sirenOn: true }, { absolute: false }).is("i failed busy");
  bench.ok(1).is("x done", 'send 2 a {"isOn":false}').ok(2);
  bench.is("off done", 'send 3 b {"isOn":true,"brightness":0.1}').ok(3).is("c2 done", "dim done");
  assert.equal(bench.dispatch.waiting, 0);
});

test("a refused command leaves nothing behind", () => {
  const bench = new Bench({ queued: 0, inFlight: () => 0 }).submit("c", "a", { isOn: true });
  bench.is("c failed busy");
  assert.deepEqual([bench.dispatch.waiting, bench.dispatch.due()], [0, undefined]);
});

test("at the limit a device can still be asked how it is, once", () => {
  const bench = new Bench({ queued: 1 }).submit("x", "x", { isOn: true }).submit("c", "a", { isOn: true });
  bench.is('send 1 x {"isOn":true}').refresh("r1", "a").is().refresh("r2", "a").is("r1 superseded");
  assert.equal(bench.dispatch.waiting, 2);
  bench.ok(1).ok(2).ok(3);
  bench.is("x done", 'send 2 a {"isOn":true}', "c done", "send 3 a refresh", "r2 done");
});

test("a refresh comes after the commands before it, however often they are tried", () => {
  const bench = new Bench().submit("c1", "a", { isOn: true }).refresh("r", "a");
  bench.fails(1, "timeout").until(1000).fails(2, "timeout").until(5000);
  bench.is('send 1 a {"isOn":true}', 'send 2 a {"isOn":true}', 'send 3 a {"isOn":true}');
  bench.until(12_000).is("cancel 3", "c1 failed timeout");
  bench.fails(3, "timeout").is("send 4 a refresh").ok(4).is("r done");
});

test("a newer command does not wait for the pause of an older one beyond a refresh", () => {
  const bench = new Bench().submit("c1", "a", { isOn: true }).refresh("r", "a").fails(1);
  bench.submit("c2", "a", { isOn: false });
  bench.is('send 1 a {"isOn":true}', "c1 superseded", 'send 2 a {"isOn":false}');
  bench.ok(2).is("c2 done", "send 3 a refresh").ok(3).is("r done");
});

test("a command does not wait for the pause of a refresh, which is tried again after it", () => {
  const bench = new Bench().refresh("r", "a").fails(1).submit("c", "a", { isOn: true });
  bench.is("send 1 a refresh", 'send 2 a {"isOn":true}').ok(2).is("c done");
  bench.until(999).is().until(1000).is("send 3 a refresh").ok(3).is("r done");
});

test("a send that was given up holds its radio and its device until it is answered", () => {
  const bench = new Bench({ sendTimeoutMs: 1000, inFlight: (radio) => (radio === "air" ? 1 : 2) });
  bench.submit("c1", "a", { isOn: true }).submit("c2", "b", { isOn: true });
  bench.submit("w1", "w", { isOn: true }, { radio: "wire" });
  bench.is('send 1 a {"isOn":true}', 'send 2 w {"isOn":true}');
  bench.until(3000).is("cancel 1", "cancel 2").until(4000).is();
  bench.fails(2, "timeout").is('send 3 w {"isOn":true}').ok(3).is("w1 done");
  bench.ok(1).is('send 4 b {"isOn":true}').ok(4).is("c2 done", 'send 5 a {"isOn":true}');
  bench.ok(5).is("c1 done");
});

test("the queue holds as many as the limit says", () => {
  const bench = new Bench().submit("x", "x", { isOn: true });
  for (let index = 0; index < limits.commandsQueued; index += 1)
    bench.submit(`c${index}`, `d${index}`, { isOn: true });
  bench.is('send 1 x {"isOn":true}');
  bench.submit("one more", "y", { isOn: true }).is("one more failed busy");
});

test("a device that is gone takes its commands with it", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true })
    .submit("c2", "a", { isOn: false })
    .submit("c3", "b", { isOn: true });
  bench.lines.splice(0);
  bench.did(bench.dispatch.forget("a", 0)).is("c2 failed refused", "cancel 1", "c1 failed refused");
  bench.fails(1, "timeout").is('send 2 b {"isOn":true}').ok(2).is("c3 done");
  assert.equal(bench.dispatch.waiting, 0);
});

test("an echo ends a command that waits for another try", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true, brightness: 0.5, transitionMsec: 100 })
    .fails(1, "timeout");
  bench.lines.splice(0);
  bench.did(bench.dispatch.report("a", { isOn: true }, 100).effects).is();
  bench.did(bench.dispatch.report("a", { isOn: true, brightness: 0.502 }, 200).effects).is("c1 done");
  bench.until(20_000).is();
  assert.equal(bench.dispatch.waiting, 0);
});

test("an echo of the value before does not", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true }, { before: { isOn: false } })
    .fails(1, "timeout");
  bench.lines.splice(0);
  bench.did(bench.dispatch.report("a", { isOn: false }, 100).effects).is();
  bench.until(1000).is('send 2 a {"isOn":true}');
});
