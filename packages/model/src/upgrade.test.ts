import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentOf, given, upgradeAvailable } from "@ledge/testkit";
import type { UpgradeReport } from "./upgrade.ts";
import { isUnderWay, upgradeInfo } from "./upgrade.ts";

const added = {
  type: "DeviceAdded",
  id: "d1",
  name: "Lamp",
  ...contentOf("LIGHT", ["DEVICE", "UPGRADE"]),
};
const said = (report: UpgradeReport) => ({ ...report, type: "UpgradeReported", id: "d1" });
const note = (upgrade: unknown) => ({ type: "NOTE_UPGRADE", id: "d1", upgrade });
const start = { type: "CMD_START_UPGRADE", id: "d1" };
const requested = { type: "UpgradeRequested", id: "d1", request: "new-1" };
const refused = {
  type: "UpgradeRefused",
  id: "d1",
  request: "new-1",
  code: "refused",
  message: "low battery",
};
const installing = { ...upgradeAvailable, status: "INSTALLING", pctComplete: 40, etaMs: 3000 } as const;

function status(...events: { type: string; id: string }[]): [string, string | null] {
  const info = upgradeInfo("d1", given([added, ...events]).state("upgrade", "d1"));
  return [info.status, info.message];
}

describe("CMD_START_UPGRADE", () => {
  test("requests an upgrade that is available, failed or refused", () => {
    const failed = { ...upgradeAvailable, status: "FAILED", message: "checksum" } as const;
    given([added, said(upgradeAvailable)])
      .when(start)
      .then([requested]);
    given([added, said(failed)])
      .when(start)
      .then([requested]);
    given([added, said(upgradeAvailable), requested, refused])
      .when(start)
      .then([requested]);
  });

  test("refuses when nothing is available, or an upgrade is under way", () => {
    const wrongState = { rejected: "wrong-state", field: "id" } as const;
    given([added]).when(start).then(wrongState);
    given([added, said({ ...upgradeAvailable, status: "UP_TO_DATE" })])
      .when(start)
      .then(wrongState);
    given([added, said(upgradeAvailable), requested])
      .when(start)
      .then(wrongState);
    given([added, said(installing)])
      .when(start)
      .then(wrongState);
  });

  test("refuses a device without UPGRADE, and an unknown one", () => {
    given([{ ...added, capabilities: ["DEVICE"] }])
      .when(start)
      .then({ rejected: "invalid", field: "id" });
    given().when(start).then({ rejected: "not-found", field: "id" });
  });
});

test("a requested upgrade stays REQUESTED until the device reports something new or refuses", () => {
  assert.deepEqual(status(), ["UNKNOWN", null]);
  assert.deepEqual(status(said(upgradeAvailable)), ["AVAILABLE", null]);
  assert.deepEqual(status(said(upgradeAvailable), requested), ["REQUESTED", null]);
  assert.deepEqual(status(said(upgradeAvailable), requested, said(installing)), ["INSTALLING", null]);
  assert.deepEqual(status(said(upgradeAvailable), requested, refused), ["REFUSED", "low battery"]);
  assert.deepEqual(status(said(upgradeAvailable), requested, refused, requested), ["REQUESTED", null]);
  const failed = { ...upgradeAvailable, status: "FAILED", message: "checksum" } as const;
  assert.deepEqual(status(said(upgradeAvailable), requested, said(installing), said(failed)), [
    "FAILED",
    "checksum",
  ]);
});

test("an upgrade that its adapter keeps for a sleeping device is REQUESTED, and not under way", () => {
  const queued = { ...upgradeAvailable, status: "REQUESTED", message: "it sleeps" } as const;
  const events = [said(upgradeAvailable), requested, said(queued)];
  assert.deepEqual(status(...events), ["REQUESTED", "it sleeps"]);
  const home = given([added, ...events]);
  home.when(start).then({ rejected: "wrong-state", field: "id" });
  // The watch for silence, and losses of its adapter, concern only what is under way.
  assert.equal(isUnderWay(home.state("upgrade", "d1")), false);
  home.when({ type: "NOTE_UPGRADE_LOST", id: "d1", message: "" }).then([]);
  assert.deepEqual(status(...events, said(upgradeAvailable)), ["AVAILABLE", null]);
  assert.deepEqual(status(...events, said(installing)), ["INSTALLING", null]);
});

test("UPGRADE_INFO has every field of the API, known or not", () => {
  const state = given([added, said(installing)]).state("upgrade", "d1");
  const info = { type: "UPGRADE_INFO", id: "d1", ...installing };
  assert.deepEqual(upgradeInfo("d1", state), info);
  assert.deepEqual(Object.keys(upgradeInfo("d1", undefined)).toSorted(), Object.keys(info).toSorted());
});

test("NOTE_UPGRADE ignores repeated reports, and ends with null", () => {
  given([added, said(upgradeAvailable)])
    .when(note(upgradeAvailable))
    .then([]);
  given([added, said(upgradeAvailable), requested])
    .when(note(upgradeAvailable))
    .then([]);
  given([added, said(upgradeAvailable)])
    .when(note(installing))
    .then([said(installing)]);
  given([added, said(upgradeAvailable)])
    .when(note(null))
    .then([{ type: "UpgradeRemoved", id: "d1" }]);
  given([added]).when(note(null)).then([]);
});

for (const [problem, wrong] of [
  ["a status that only the hub sets", { ...upgradeAvailable, status: "REFUSED" }],
  ["more than 100 percent", { ...installing, pctComplete: 100.5 }],
  ["an invalid time", { ...upgradeAvailable, lastUpgrade: -1 }],
  ["a missing field", { status: "AVAILABLE" }],
] as const) {
  test(`NOTE_UPGRADE refuses ${problem}`, () => {
    given([added]).when(note(wrong)).then({ rejected: "invalid", field: "upgrade" });
  });
}

test("NOTE_UPGRADE_REFUSED ignores a request that no longer stands", () => {
  const refuse = {
    type: "NOTE_UPGRADE_REFUSED",
    id: "d1",
    request: "new-1",
    code: "refused",
    message: "low battery",
  };
  given([added, said(upgradeAvailable), requested])
    .when(refuse)
    .then([refused]);
  given([added, said(upgradeAvailable), requested, said(installing)])
    .when(refuse)
    .then([]);
  given([added]).when(refuse).then([]);
});

describe("a lost upgrade", () => {
  const lost = { type: "UpgradeLost", id: "d1", message: "its adapter went down" };
  const noteLost = { type: "NOTE_UPGRADE_LOST", id: "d1", message: "its adapter went down" };
  const upToDate = { ...upgradeAvailable, status: "UP_TO_DATE" } as const;

  test("has failed, whether or not it had begun", () => {
    given([added, said(upgradeAvailable), requested])
      .when(noteLost)
      .then([lost]);
    given([added, said(installing)])
      .when(noteLost)
      .then([lost]);
    assert.deepEqual(status(said(upgradeAvailable), requested, lost), ["FAILED", "its adapter went down"]);
    const { pctComplete, etaMs } = upgradeInfo(
      "d1",
      given([added, said(installing), lost]).state("upgrade", "d1"),
    );
    assert.deepEqual([pctComplete, etaMs], [null, null]);
  });

  test("is noted only while an upgrade is under way", () => {
    for (const before of [
      [],
      [said(upgradeAvailable)],
      [said(upgradeAvailable), requested, refused],
      [said(upToDate)],
    ])
      given([added, ...before])
        .when(noteLost)
        .then([]);
    given([added, said(installing), lost])
      .when(noteLost)
      .then([]);
  });

  test("stays failed while its device only offers it again, and can be retried", () => {
    const offered = [said(installing), lost, said(upgradeAvailable)];
    assert.deepEqual(status(...offered), ["FAILED", "its adapter went down"]);
    given([added, ...offered])
      .when(start)
      .then([requested]);
    assert.deepEqual(status(...offered, requested), ["REQUESTED", null]);
  });

  test("continues when its device reports it, even in the same words", () => {
    given([added, said(installing), lost])
      .when(note(installing))
      .then([said(installing)]);
    assert.deepEqual(status(said(installing), lost, said(installing)), ["INSTALLING", null]);
    assert.deepEqual(status(said(installing), lost, said(upToDate)), ["UP_TO_DATE", null]);
  });

  test("is one that its device offers again while it should be installing", () => {
    given([added, said(installing)])
      .when(note(upgradeAvailable))
      .then([said(upgradeAvailable), { type: "UpgradeLost", id: "d1", message: "it was broken off" }]);
  });
});
