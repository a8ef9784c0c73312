import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decideUpdate,
  evolveUpdate,
  noUpdate,
  type Release,
  type SlotFacts,
  type UpdateCommand,
  type UpdateState,
} from "./update.ts";
import { isNewer, isVersion } from "./version-order.ts";

const old: Release = { version: "0.2.0", profile: "rpi4", formats: ["LDG1", "RoomCreated@1"] };
const fresh: Release = { ...old, version: "0.3.0" };
const onA: SlotFacts = { booted: "A", primary: "A", isGood: { A: true, B: false } };
const pending: SlotFacts = { ...onA, primary: "B" };
const onB: SlotFacts = { booted: "B", primary: "B", isGood: { A: true, B: false } };

const request: UpdateCommand = { type: "REQUEST", running: old, slots: onA };
const fetched: UpdateCommand = { type: "NOTE_FETCHED" };
const checked = (bundle = fresh): UpdateCommand => ({ type: "NOTE_CHECKED", running: old, bundle });
const installed: UpdateCommand = { type: "NOTE_INSTALLED" };
const started = (slots: SlotFacts): UpdateCommand => ({ type: "NOTE_STARTED", slots });
const healthy: UpdateCommand = { type: "NOTE_HEALTHY" };
const back: UpdateCommand = {
  type: "ROLL_BACK",
  running: fresh,
  slots: { ...onB, isGood: { A: true, B: true } },
};

/** Carries out commands, the first at 1 ms, and answers what has become of the update. */
function after(...commands: readonly UpdateCommand[]): UpdateState {
  return commands.reduce((state, command, index) => {
    const decided = decideUpdate(state, command);
    assert.ok(!("refusal" in decided), JSON.stringify(decided));
    return decided.reduce((sum, event) => evolveUpdate(sum, event, index + 1), state);
  }, noUpdate);
}

const refused = (state: UpdateState, command: UpdateCommand): string => {
  const decided = decideUpdate(state, command);
  assert.ok("refusal" in decided, JSON.stringify(decided));
  return decided.refusal;
};

test("an update goes from fetching to a trial, and is installed once it has served", () => {
  const steps = [request, fetched, checked(), installed, started(onB), healthy];
  const phases = steps.map((_, index) => after(...steps.slice(0, index + 1)).stage.phase);
  assert.deepEqual(phases, ["FETCHING", "CHECKING", "INSTALLING", "INSTALLED", "TRIAL", "IDLE"]);
  assert.deepEqual(after(...steps), {
    stage: { phase: "IDLE" },
    previous: { version: "0.2.0", slot: "A", since: null },
    outcome: { result: "INSTALLED", version: "0.3.0", message: null, at: 6 },
  });
});

test("says why a bundle is not installed, and installs nothing", () => {
  const told = (bundle: Release): string | null | undefined => {
    const { stage, outcome } = after(request, fetched, checked(bundle));
    assert.equal(stage.phase, "IDLE");
    return outcome?.message;
  };
  assert.equal(
    told({ ...fresh, version: "0.1.9" }),
    "the bundle has release 0.1.9, older than 0.2.0, which runs",
  );
  assert.equal(
    told({ ...fresh, version: "0.2.0-rc1" }),
    "the bundle has release 0.2.0-rc1, older than 0.2.0, which runs",
  );
  assert.equal(told(old), "release 0.2.0 runs already");
  assert.equal(told({ ...fresh, profile: "cm4" }), "the bundle is for cm4, and this machine is rpi4");
});

test("a start after an interruption tells what the interruption has left", () => {
  const began = [request, fetched, checked()] as const;
  const cases: readonly (readonly [string, readonly UpdateCommand[], SlotFacts, string, string | null])[] = [
    ["fetching", [request], onA, "IDLE", "it was interrupted before anything was installed"],
    ["checking", [request, fetched], onA, "IDLE", "it was interrupted before anything was installed"],
    ["writing the slot", began, onA, "IDLE", "it was interrupted: the release that ran goes on"],
    ["the switch, not noted", began, pending, "INSTALLED", null],
    ["the switch, and booted", began, onB, "TRIAL", null],
    ["the reboot not come yet", [...began, installed], pending, "INSTALLED", null],
    ["the new release not starting", [...began, installed], onA, "IDLE", "release 0.3.0 did not start"],
    ["a restart in the trial", [...began, installed, started(onB)], onB, "TRIAL", null],
    [
      "the trial not ending",
      [...began, installed, started(onB)],
      onA,
      "IDLE",
      "release 0.3.0 did not serve for a minute",
    ],
  ];
  for (const [what, before, slots, phase, message] of cases) {
    const { stage, outcome } = after(...before, started(slots));
    assert.deepEqual([stage.phase, outcome?.message ?? null], [phase, message], what);
  }
});

test("an installation that ends after the hub was killed is tried at the next boot", () => {
  const killed = after(request, fetched, checked(), started(onA));
  assert.equal(killed.stage.phase, "IDLE");
  assert.match(refused(killed, { ...request, slots: pending }), /slot B holds another release/);
  const booted = after(request, fetched, checked(), started(onA), started(onB), healthy);
  assert.equal(booted.outcome?.result, "INSTALLED");
});

test("a log that the old release cannot read is kept as it was, and a way back says from when it counts", () => {
  const wider = { ...fresh, formats: [...old.formats, "RoomPainted@1"] };
  const trial = [request, fetched, checked(wider), installed, started(onB)];
  assert.deepEqual(after(...trial).stage, {
    phase: "TRIAL",
    from: "0.2.0",
    slot: "A",
    to: "0.3.0",
    unreadable: ["RoomPainted@1"],
    since: 5,
  });
  assert.equal(after(...trial, healthy).previous?.since, 5);
  const fallen = decideUpdate(after(...trial), started(onA));
  assert.deepEqual(fallen, [
    {
      type: "UpdateRolledBack",
      version: "0.3.0",
      message: "release 0.3.0 did not serve for a minute",
      since: 5,
    },
  ]);
});

test("goes back to the previous release once, and only while its slot is good", () => {
  const done = [request, fetched, checked(), installed, started(onB), healthy];
  assert.equal(refused(noUpdate, back), "there is no release to go back to");
  assert.match(
    refused(after(...done), { ...back, slots: { ...onB, isGood: { A: false, B: true } } }),
    /slot A is not good/,
  );
  const returning = after(...done, back);
  assert.match(refused(returning, back), /goes back to the previous release/);
  assert.equal(
    after(...done, back, started(onB)).outcome?.message,
    "the way back was interrupted: ask again",
  );
  const returned = after(...done, back, started(onA));
  assert.deepEqual(
    [returned.stage.phase, returned.previous, returned.outcome?.result],
    ["IDLE", null, "ROLLED_BACK"],
  );
});

test("takes no second update while one is under way, and none while its own slot is on trial", () => {
  const steps = [request, fetched, checked(), installed, started(onB)];
  for (const count of [1, 2, 3, 4, 5])
    assert.match(refused(after(...steps.slice(0, count)), request), /update/, `after ${count} steps`);
  assert.match(refused(noUpdate, { ...request, slots: onB }), /slot B runs and is not good/);
});

test("orders releases by their numbers, previews before releases", () => {
  const order = ["0.2.0-rc1", "0.2.0-rc2", "0.2.0-rc10", "0.2.0", "0.2.1", "0.10.0", "1.0.0"];
  for (const [index, version] of order.entries())
    for (const [place, other] of order.entries())
      assert.equal(isNewer(version, other), index > place, `${version} ${other}`);
  for (const text of ["", "1", "1.2", "v1.2.3", "1.2.3-", "1.2.3\n", "9".repeat(9)]) {
    assert.ok(!isVersion(text) && !isNewer(text, "0.0.1") && !isNewer("1.0.0", text), text);
  }
});
