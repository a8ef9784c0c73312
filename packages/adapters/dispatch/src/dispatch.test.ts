import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import { Bench } from "./test-bench.ts";

test("sends a command at once and settles it when the device accepts it", () => {
  new Bench().submit("c1", "lamp", { isOn: true }).is('send 1 lamp {"isOn":true}').ok(1).is("c1 done");
});

test("neither merges, reorders nor retries an impulse", () => {
  const bench = new Bench().submit("c1", "lamp", { isOn: true }).is('send 1 lamp {"isOn":true}');
  for (const id of ["i1", "i2"])
    bench.submit(id, "lamp", {}, { command: { type: "identify" }, absolute: false });
  bench.submit("c2", "lamp", { isOn: false }).is();
  bench.ok(1).is("c1 done", "send 2 lamp identify");
  bench.fails(2).is("i1 failed unreachable", "send 3 lamp identify");
  bench.ok(3).is("i2 done", 'send 4 lamp {"isOn":false}');
});

test("defers a command to a device that sleeps, but no impulse", () => {
  const bench = new Bench()
    .submit("c1", "valve", { targetTemp: 21 })
    .submit("c2", "valve", { targetTemp: 22 });
  bench.is('send 1 valve {"targetTemp":21}').fails(1, "asleep");
  bench.is("c1 deferred", 'send 2 valve {"targetTemp":22}').ok(2).is("c2 done");
  bench.submit("i", "valve", { sirenOn: true }, { absolute: false }).is('send 3 valve {"sirenOn":true}');
  bench.fails(3, "asleep").is("i failed asleep");
  bench.refresh("r", "valve").is("send 4 valve refresh").fails(4, "asleep").is("r failed asleep");
});

test("keeps the in-flight limit of each radio separately", () => {
  const bench = new Bench({ inFlight: (radio) => (radio === "air" ? 2 : 1) });
  for (const native of ["a", "b", "c"]) bench.submit(native, native, { isOn: true });
  bench.submit("w", "w", { isOn: true }, { radio: "wire" });
  bench.is('send 1 a {"isOn":true}', 'send 2 b {"isOn":true}', 'send 3 w {"isOn":true}');
  bench.ok(2).is("b done", 'send 4 c {"isOn":true}');
});

/** Reports these devices as unreachable. */
function away(bench: Bench, natives: string): void {
  for (const native of natives)
    bench.did(bench.dispatch.report(native, { reachable: false }, bench.now).effects);
}

test("keeps one place of a radio free from sends to silent devices", () => {
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

test("serves responsive devices first, even on a radio with one place", () => {
  const bench = new Bench();
  away(bench, "ab");
  for (const native of "abg") bench.submit(`${native}1`, native, { isOn: true });
  bench.is('send 1 a {"isOn":true}').fails(1, "refused").is("a1 failed refused", 'send 2 g {"isOn":true}');
  bench.ok(2).is("g1 done", 'send 3 b {"isOn":true}');
});

test("silent devices take turns, even when the same scene starts repeatedly", () => {
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

test("sends a command at once when its device becomes reachable again", () => {
  const bench = new Bench({ inFlight: () => 2 });
  away(bench, "ab");
  bench.submit("a1", "a", { isOn: true }).submit("b1", "b", { isOn: true });
  bench.is('send 1 a {"isOn":true}');
  bench.did(bench.dispatch.report("b", { reachable: true }, bench.now).effects);
  bench.is('send 2 b {"isOn":true}');
});

/** Returns a bench with one place on its radio, where a failed to answer before b did. */
function silentAThenB(): Bench {
  const bench = new Bench();
  for (const [index, native] of ["a", "b"].entries()) {
    bench.until(10 * index).submit(`${native}1`, native, { sirenOn: true }, { absolute: false });
    bench.fails(index + 1, "timeout");
  }
  bench.lines.splice(0);
  return bench.until(20);
}

test("puts a silent device last after a retry, even when the adapter was only busy", () => {
  const bench = silentAThenB().submit("a2", "a", { sirenOn: true }, { absolute: false });
  bench.submit("a3", "a", { isOn: true }).submit("b2", "b", { isOn: true }).fails(3, "busy");
  bench.is('send 3 a {"sirenOn":true}', "a2 failed busy", 'send 4 b {"isOn":true}');
});

test("keeps a silent device's turn when it is reported unreachable", () => {
  const bench = silentAThenB().submit("x", "x", { isOn: true });
  bench.submit("b2", "b", { isOn: true }).submit("a2", "a", { isOn: true });
  bench.did(bench.dispatch.report("a", { reachable: false }, bench.now).effects).ok(3);
  bench.is('send 3 x {"isOn":true}', "x done", 'send 4 a {"isOn":true}');
});

test("a forgotten device does not stay silent when it returns", () => {
  const bench = new Bench({ inFlight: () => 2 });
  bench.submit("a1", "a", { isOn: true });
  bench.did(bench.dispatch.forget("a", bench.now)).fails(1);
  away(bench, "x");
  bench.submit("x1", "x", { isOn: true }).lines.splice(0);
  bench.submit("a2", "a", { isOn: true }).is('send 3 a {"isOn":true}');
});

test("a busy adapter does not make a device silent", () => {
  const bench = new Bench({ inFlight: () => 2 });
  away(bench, "ab");
  bench.submit("a1", "a", { isOn: true }, { ttlMs: 60_000 }).fails(1, "busy");
  bench.submit("b1", "b", { isOn: true }, { ttlMs: 60_000 }).lines.splice(0);
  bench.until(1000).is();
  bench.ok(2).is("b1 done", 'send 3 a {"isOn":true}');
});

test("a cast to silent devices leaves a place free; a missed cast makes no device silent", () => {
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

test("treats a device reported unreachable as silent", () => {
  const bench = new Bench({ inFlight: () => 2 });
  for (const native of ["a", "b"]) {
    bench.did(bench.dispatch.report(native, { reachable: false }, bench.now).effects);
    bench.submit(`${native}1`, native, { isOn: true });
  }
  bench.submit("c1", "c", { isOn: true });
  bench.is('send 1 a {"isOn":true}', 'send 2 c {"isOn":true}');
});

test("a report ends a device's silence", () => {
  const bench = new Bench({ inFlight: () => 2 });
  for (const native of ["a", "b"]) bench.submit(`${native}1`, native, { isOn: true }, { ttlMs: 60_000 });
  bench.fails(1).fails(2);
  bench.lines.splice(0);
  bench.did(bench.dispatch.report("b", { reachable: true }, bench.now).effects);
  bench.until(1000).is('send 3 b {"isOn":true}', 'send 4 a {"isOn":true}');
});

test("sends one command at a time to a device, even on an idle radio", () => {
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
    "combines different attributes",
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
    "keeps the attributes that are not overtaken",
    [{ isOn: true, brightness: 0.1 }, { brightness: 0.2 }],
    { isOn: true, brightness: 0.2 },
    [],
  ],
  [
    "a colour replaces a white",
    [
      { temperature: 2700, colorMode: "ct" },
      { hue: 1, saturation: 1, colorMode: "hs" },
    ],
    { hue: 1, saturation: 1, colorMode: "hs" },
    ["c0"],
  ],
  [
    "a white replaces a colour",
    [
      { hue: 1, saturation: 1 },
      { temperature: 2700, hue: -1 },
    ],
    { temperature: 2700, hue: -1 },
    ["c0"],
  ],
  ["a colour mode replaces both", [{ hue: 1 }, { colorMode: "ct" }], { colorMode: "ct" }, ["c0"]],
  ["combines hue and saturation", [{ hue: 1 }, { saturation: 0.5 }], { hue: 1, saturation: 0.5 }, []],
  ["a position replaces a percentage", [{ liftPct: 10 }, { position: 0.5 }], { position: 0.5 }, ["c0"]],
  [
    "a stop replaces all movements of a cover",
    [{ position: 0.5 }, { liftPct: 10, tiltPct: 20 }, { stop: true }],
    { stop: true },
    ["c0", "c1"],
  ],
  ["a position replaces a stop", [{ stop: true }, { position: 0.5 }], { position: 0.5 }, ["c0"]],
  [
    "drops a transition with its target",
    [{ brightness: 0.1, transitionMsec: 5000 }, { brightness: 0.2 }],
    { brightness: 0.2 },
    ["c0"],
  ],
  [
    "keeps a transition with its remaining target",
    [{ brightness: 0.1, transitionMsec: 5000 }, { isOn: true }],
    { brightness: 0.1, transitionMsec: 5000, isOn: true },
    [],
  ],
];
for (const [name, commands, frame, superseded] of merges) {
  test(`merges waiting commands: ${name}`, () => {
    const bench = new Bench().submit("first", "lamp", { isOn: false });
    for (const [index, attributes] of commands.entries()) bench.submit(`c${index}`, "lamp", attributes);
    bench.lines.splice(0, 1);
    bench.is(...superseded.map((id) => `${id} superseded`)).ok(1);
    bench.is("first done", `send 2 lamp ${JSON.stringify(frame)}`).ok(2);
    const sent = commands.map((_, index) => `c${index}`).filter((id) => !superseded.includes(id));
    bench.is(...sent.map((id) => `${id} done`));
  });
}

test("merges refreshes with each other but not with commands", () => {
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

test("neither merges nor supersedes impulses", () => {
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
  test(`retries ${code} after 1 s, 4 s and 15 s within the command's lifetime`, () => {
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

test("gives up when the next retry would come after the deadline", () => {
  const bench = new Bench().submit("c", "a", { isOn: true }).fails(1).until(1000).fails(2).until(5000);
  bench.is('send 1 a {"isOn":true}', 'send 2 a {"isOn":true}', 'send 3 a {"isOn":true}');
  bench.fails(3).is("c failed unreachable");
});

test("does not retry a refused command", () => {
  new Bench()
    .submit("c", "a", { isOn: true })
    .fails(1, "refused")
    .is('send 1 a {"isOn":true}', "c failed refused");
});

test("never retries an impulse", () => {
  const bench = new Bench().submit("i", "s", { sirenOn: true }, { absolute: false });
  bench.fails(1).is('send 1 s {"sirenOn":true}', "i failed unreachable");
});

test("serves other devices while one backs off", () => {
  const bench = new Bench().submit("a1", "a", { isOn: true }).submit("b1", "b", { isOn: true });
  bench.fails(1).is('send 1 a {"isOn":true}', 'send 2 b {"isOn":true}');
});

test("sends a newer command during the backoff, merged with the older one", () => {
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

test("does not retry an in-flight command that a newer one superseded", () => {
  const bench = new Bench().submit("c1", "a", { isOn: true }).submit("c2", "a", { isOn: false }).fails(1);
  bench.is('send 1 a {"isOn":true}', "c1 superseded", 'send 2 a {"isOn":false}');
});

test("fails a command unsent when it expires before its turn", () => {
  const bench = new Bench({ sendTimeoutMs: 60_000 }).submit("c1", "a", { isOn: true });
  bench.submit("c2", "b", { isOn: true }, { ttlMs: 500 }).until(499).is('send 1 a {"isOn":true}');
  bench.until(500).is("c2 failed timeout").ok(1).is("c1 done");
});

test("counts a command's lifetime from `givenAt`", () => {
  const bench = new Bench({ sendTimeoutMs: 60_000 }).submit("x", "x", { isOn: true }).until(9000);
  bench.submit("c", "a", { isOn: true }, { givenAt: 0 }).until(limits.commandTimeoutMs - 1);
  bench.is('send 1 x {"isOn":true}').until(limits.commandTimeoutMs).is("c failed timeout");
  const late = new Bench();
  late.now = limits.refreshMs;
  const command = { type: "refresh" } as const;
  late.submit("r1", "a", {}, { command, givenAt: 0 }).is("r1 failed timeout");
  late.submit("r2", "a", {}, { command, givenAt: 1 }).is("send 1 a refresh");
});

test("times out a send that the adapter never answers and ignores its late outcome", () => {
  const bench = new Bench({ sendTimeoutMs: 3000 }).submit("c", "a", { isOn: true }, { ttlMs: 5500 });
  bench.until(4999).is('send 1 a {"isOn":true}');
  bench.until(5000).is("cancel 1", "c failed timeout");
  bench.ok(1).is();
});

test("refuses commands beyond the queue limit", () => {
  const bench = new Bench({ queued: 2 }).submit("c0", "x", { isOn: true });
  for (const id of ["c1", "c2", "c3"]) bench.submit(id, id, { isOn: true });
  bench.is('send 1 x {"isOn":true}', "c3 failed busy");
  assert.equal(bench.dispatch.waiting, 2);
  bench.ok(1).is("c0 done", 'send 2 c1 {"isOn":true}').submit("c4", "c4", { isOn: true }).is();
});

test("accepts a command at the limit when it merges into a waiting one", () => {
  const bench = new Bench({ queued: 2 }).submit("x", "x", { isOn: true });
  bench.submit("c1", "a", { isOn: true }).submit("c2", "b", { isOn: true }).is('send 1 x {"isOn":true}');
  bench.submit("off", "a", { isOn: false }).is("c1 superseded");
  bench.submit("dim", "b", { brightness: 0.1 }).is();
  bench.submit("i", "b", { sirenOn: true }, { absolute: false }).is("i failed busy");
  bench.ok(1).is("x done", 'send 2 a {"isOn":false}').ok(2);
  bench.is("off done", 'send 3 b {"isOn":true,"brightness":0.1}').ok(3).is("c2 done", "dim done");
  assert.equal(bench.dispatch.waiting, 0);
});

test("leaves no state behind after it refuses a command", () => {
  const bench = new Bench({ queued: 0, inFlight: () => 0 }).submit("c", "a", { isOn: true });
  bench.is("c failed busy");
  assert.deepEqual([bench.dispatch.waiting, bench.dispatch.due()], [0, undefined]);
});

test("accepts one refresh per device at the limit", () => {
  const bench = new Bench({ queued: 1 }).submit("x", "x", { isOn: true }).submit("c", "a", { isOn: true });
  bench.is('send 1 x {"isOn":true}').refresh("r1", "a").is().refresh("r2", "a").is("r1 superseded");
  assert.equal(bench.dispatch.waiting, 2);
  bench.ok(1).ok(2).ok(3);
  bench.is("x done", 'send 2 a {"isOn":true}', "c done", "send 3 a refresh", "r2 done");
});

test("sends a refresh after the commands before it and all their retries", () => {
  const bench = new Bench().submit("c1", "a", { isOn: true }).refresh("r", "a");
  bench.fails(1, "timeout").until(1000).fails(2, "timeout").until(5000);
  bench.is('send 1 a {"isOn":true}', 'send 2 a {"isOn":true}', 'send 3 a {"isOn":true}');
  bench.until(12_000).is("cancel 3", "c1 failed timeout");
  bench.fails(3, "timeout").is("send 4 a refresh").ok(4).is("r done");
});

test("sends a newer command during the backoff of an older one behind a refresh", () => {
  const bench = new Bench().submit("c1", "a", { isOn: true }).refresh("r", "a").fails(1);
  bench.submit("c2", "a", { isOn: false });
  bench.is('send 1 a {"isOn":true}', "c1 superseded", 'send 2 a {"isOn":false}');
  bench.ok(2).is("c2 done", "send 3 a refresh").ok(3).is("r done");
});

test("sends a command during the backoff of a refresh, then retries the refresh", () => {
  const bench = new Bench().refresh("r", "a").fails(1).submit("c", "a", { isOn: true });
  bench.is("send 1 a refresh", 'send 2 a {"isOn":true}').ok(2).is("c done");
  bench.until(999).is().until(1000).is("send 3 a refresh").ok(3).is("r done");
});

test("a cancelled send occupies its radio and device until its outcome", () => {
  const bench = new Bench({ sendTimeoutMs: 1000, inFlight: (radio) => (radio === "air" ? 1 : 2) });
  bench.submit("c1", "a", { isOn: true }).submit("c2", "b", { isOn: true });
  bench.submit("w1", "w", { isOn: true }, { radio: "wire" });
  bench.is('send 1 a {"isOn":true}', 'send 2 w {"isOn":true}');
  bench.until(3000).is("cancel 1", "cancel 2").until(4000).is();
  bench.fails(2, "timeout").is('send 3 w {"isOn":true}').ok(3).is("w1 done");
  bench.ok(1).is('send 4 b {"isOn":true}').ok(4).is("c2 done", 'send 5 a {"isOn":true}');
  bench.ok(5).is("c1 done");
});

test("queues as many commands as the limit allows", () => {
  const bench = new Bench().submit("x", "x", { isOn: true });
  for (let index = 0; index < limits.commandsQueued; index += 1)
    bench.submit(`c${index}`, `d${index}`, { isOn: true });
  bench.is('send 1 x {"isOn":true}');
  bench.submit("one more", "y", { isOn: true }).is("one more failed busy");
});

test("fails all commands of a forgotten device", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true })
    .submit("c2", "a", { isOn: false })
    .submit("c3", "b", { isOn: true });
  bench.lines.splice(0);
  bench.did(bench.dispatch.forget("a", 0)).is("c2 failed refused", "cancel 1", "c1 failed refused");
  bench.fails(1, "timeout").is('send 2 b {"isOn":true}').ok(2).is("c3 done");
  assert.equal(bench.dispatch.waiting, 0);
});

test("settles a command that waits for a retry when its echo arrives", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true, brightness: 0.5, transitionMsec: 100 })
    .fails(1, "timeout");
  bench.lines.splice(0);
  bench.did(bench.dispatch.report("a", { isOn: true }, 100).effects).is();
  bench.did(bench.dispatch.report("a", { isOn: true, brightness: 0.502 }, 200).effects).is("c1 done");
  bench.until(20_000).is();
  assert.equal(bench.dispatch.waiting, 0);
});

test("does not settle a command on a report of the previous value", () => {
  const bench = new Bench()
    .submit("c1", "a", { isOn: true }, { before: { isOn: false } })
    .fails(1, "timeout");
  bench.lines.splice(0);
  bench.did(bench.dispatch.report("a", { isOn: false }, 100).effects).is();
  bench.until(1000).is('send 2 a {"isOn":true}');
});
