import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@ledge/testkit";

const program = fileURLToPath(new URL("../../../../systemd/ledge-slots", import.meta.url));
const mebibyte = 1_048_576;
const folder = temporaryFolder();
after(() => folder.remove());
let files = 0;

/** Runs lines of shell in which `slots` is the program, and returns what they print. */
function run(state: string, lines: readonly string[]): string[] {
  const script = [`slots() { sh "${program}" "$@"; }`, ...lines].join("\n");
  const env = { ...process.env, LEDGE_SLOTS: state, LEDGE_CMDLINE: `${state}.cmdline` };
  const said = execFileSync("sh", ["-c", script], {
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return said.split("\n").slice(0, -1);
}

function newState(): string {
  const file = join(folder.path, `slots-${(files += 1)}`);
  writeFileSync(file, "");
  truncateSync(file, mebibyte);
  return file;
}

test("a new disk boots its first slot; a new slot is tried once, and booted always once it is good", () => {
  const state = newState();
  const fresh = ["slots boot", "slots get-state A", "slots get-state B"];
  assert.deepEqual(run(state, fresh), ["A", "good", "bad"]);
  const tried = ["slots set-state B bad", "slots set-primary B", "slots get-primary", "slots get-state B"];
  assert.deepEqual(run(state, [...tried, "slots boot", "slots boot", "slots get-primary"]), [
    "B",
    "bad",
    "B",
    "A",
    "A",
  ]);
  const kept = ["slots set-primary B", "slots boot", "slots set-state B good", "slots boot", "slots boot"];
  assert.deepEqual(run(state, kept), ["B", "B", "B"]);
  assert.deepEqual(run(state, ["slots set-primary A", "slots boot", "slots boot", "slots get-state B"]), [
    "A",
    "A",
    "good",
  ]);
});

test("a slot with no good one beside it is booted though its tries are used up", () => {
  const lines = ["slots set-state A bad", "slots boot", "slots set-primary B", "slots boot", "slots boot"];
  assert.deepEqual(run(newState(), lines), ["A", "B", "B"]);
});

test("a try that cannot be counted is not made", () => {
  const state = newState();
  run(state, ["slots set-primary B"]);
  assert.deepEqual(
    run(state, [
      `dd() { case "$*" in *of=*) return 1 ;; *) command dd "$@" ;; esac; }`,
      `set -- boot; . "${program}"`,
    ]),
    ["A"],
  );
});

test("counts its writes in the digits that U-Boot has", () => {
  const state = newState();
  run(
    state,
    Array.from({ length: 17 }, () => "slots set-state B bad"),
  );
  const last = "begin=11\nprimary=A\nslotA=good\nslotB=bad\nwhole=11\n";
  assert.equal(readFileSync(state, "latin1").slice(0, 512), last.padEnd(512, "\0"));
  assert.equal(readFileSync(state, "latin1").slice(4096, 4104), "begin=10");
});

test("refuses what is no slot and no state, and says so", () => {
  const state = newState();
  const wrong = [
    "",
    "boot A",
    "set-primary",
    "set-primary C",
    "set-state A",
    "set-state A maybe",
    "get-state AB",
  ];
  const lines = wrong.map((words) => `slots ${words} && echo taken`);
  assert.deepEqual(run(state, [...lines, "true"]), []);
  assert.ok(readFileSync(state).every((byte) => byte === 0));
  assert.deepEqual(run(state, [`echo "ro rauc.slot=B quiet" > "${state}.cmdline"`, "slots get-current"]), [
    "B",
  ]);
});

test("a write that a power cut tears at any byte leaves the choice before it or after it", () => {
  const state = newState();
  run(state, ["slots set-state B bad", "slots set-state A good", "slots set-state B bad"]);
  const before = readFileSync(state);
  run(state, ["slots set-primary B"]);
  const written = readFileSync(state);
  const all = join(folder.path, "torn");
  mkdirSync(all);
  const changed = [...written.keys()].filter((index) => written[index] !== before[index]);
  for (const at of changed) {
    const torn = Buffer.concat([written.subarray(0, at), before.subarray(at)]);
    const late = Buffer.concat([before.subarray(0, at), written.subarray(at)]);
    writeFileSync(join(all, `${at}-head`), torn);
    writeFileSync(join(all, `${at}-tail`), late);
  }
  const said = run(state, [`for LEDGE_SLOTS in "${all}"/*; do slots get-primary; done`]);
  assert.equal(said.length, changed.length * 2);
  assert.ok(changed.length > 5, `only ${changed.length} bytes change`);
  assert.deepEqual(new Set(said), new Set(["A", "B"]));
});
