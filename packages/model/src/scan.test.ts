import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentOf, given, testNow } from "@ledge/testkit";
import { limits } from "./limits.ts";
import type { Find } from "./scan.ts";
import { previewOf, scanId } from "./scan.ts";

const place = { protocol: "zigbee", native: "0x1" };
const content = contentOf("LIGHT", ["DEVICE", "ON_OFF"]);
const description = { name: "Lamp", radio: "stick", ...content };
const how = { pairingStatus: "CONNECTED", actionRequired: false, help: null } as const;
const note = { type: "NOTE_FOUND", ...place, device: null, description, ...how };
const started = { type: "ScanStarted", id: scanId };
const timer = (durationMs: number) => {
  const set = { type: "TimerSet", id: scanId, due: testNow + durationMs, durationMs };
  return { ...set, late: "fire", lateMaxMs: 0 };
};
const found = {
  type: "ScanFound",
  id: scanId,
  device: "new-1",
  ...place,
  description,
  paired: false,
  ...how,
};
const chosen = { type: "ScanResultSet", id: scanId, device: "new-1", ignored: false };
const natives = [{ device: "new-1", ...place }];
const ended = (kept: object[], discarded: object[]) => ({ type: "ScanEnded", id: scanId, kept, discarded });
const bound = { type: "DeviceBound", id: "d", ...place, radio: "stick" };
const added = {
  type: "DeviceAdded",
  id: "d",
  name: "Lamp",
  ...content,
  capabilities: [...content.capabilities],
};
const unbound = { type: "DeviceUnbound", id: "d" };

describe("a scan", () => {
  test("begins and is prolonged; a shorter time changes nothing, and small steps are not written", () => {
    const local = { type: "SCAN", durationMs: limits.scanLocalMs };
    given()
      .when(local)
      .then([started, timer(limits.scanLocalMs)]);
    const running = given([started, timer(limits.scanLocalMs)]);
    running.when(local).then([]);
    running.when(local, testNow + limits.scanStepMs - 1).then([]);
    const later = { ...timer(limits.scanLocalMs), due: testNow + limits.scanStepMs + limits.scanLocalMs };
    running.when(local, testNow + limits.scanStepMs).then([later]);
    const remote = given([started, timer(limits.scanRemoteMs)]);
    remote.when(local).then([]);
  });

  test("adds a find with the extras of its state, and shows them before", () => {
    const stateExtras = [{ name: "x", fieldType: "NUMBER", unit: "mg", writable: false }] as const;
    const extras = { x: { ...stateExtras[0], value: null } };
    const news = { ...found, stateExtras: [...stateExtras] };
    const described = { ...note, description: { ...description, stateExtras } };
    const known = given([started]).when(described).then([news]).state("scan", scanId)?.finds["new-1"];
    assert.deepEqual(previewOf(known ?? assert.fail())?.state["extras"], extras);
    given([started, news]).when(described).then([]);
    given([started, news]).when(note).then([found]);
    given([started, news, chosen])
      .when({ type: "END_SCAN" })
      .then([
        ended(natives, []),
        { ...added, id: "new-1", stateExtras: [...stateExtras] },
        { ...bound, id: "new-1" },
      ]);
  });

  test("notes finds, ignored at first, and their progress", () => {
    const known = given([started]).when(note).then([found]).state("scan", scanId);
    const { ignored, paired, timestamp } = known?.finds["new-1"] ?? {};
    assert.deepEqual([ignored, paired, timestamp], [true, false, testNow]);
    given([started, found]).when(note).then([]);
    const complete = { ...found, pairingStatus: "COMPLETE" };
    const after = given([started, found, chosen])
      .when({ ...note, pairingStatus: "COMPLETE" })
      .then([complete]);
    const find = after.state("scan", scanId)?.finds["new-1"];
    assert.deepEqual([find?.pairingStatus, find?.ignored], ["COMPLETE", false]);
  });

  test("finds nothing while it is not running, no known or ignored device, and a removed one by its old id", () => {
    given().when(note).then([]);
    const again = { ...note, device: "d" };
    given([started, added, bound]).when(again).then([]);
    const removed = [{ type: "DeviceRemoved", id: "d", groups: [] }, unbound];
    given([started, added, bound, ...removed])
      .when(again)
      .then([{ ...found, device: "d" }]);
    const ignored = [...removed, { type: "DeviceIgnored", id: "d" }];
    given([started, added, bound, ...ignored])
      .when(again)
      .then([]);
    given([started, added, bound, ...ignored])
      .when({ type: "CMD_RESET_IGNORED" })
      .then([{ type: "DeviceNoLongerIgnored", id: "d" }]);
    given([started, added, bound, ...ignored, { type: "DeviceNoLongerIgnored", id: "d" }])
      .when(again)
      .then([{ ...found, device: "d" }]);
  });

  test("finds devices up to the limit, whose descriptions are limited like devices", () => {
    const many = Array.from({ length: limits.scanFinds }, (_, index) => {
      return { ...found, device: `f${index}`, native: `n${index}` };
    });
    given([started, ...many.slice(1)])
      .when(note)
      .then([found]);
    given([started, ...many])
      .when(note)
      .then({ rejected: "invalid" });
    given([started, ...many])
      .when({ ...note, native: "n5", actionRequired: true })
      .then([{ ...found, device: "f5", native: "n5", actionRequired: true }]);
    const long = { ...description, name: "n".repeat(limits.nameChars + 1) };
    given([started])
      .when({ ...note, description: long })
      .then({ rejected: "invalid", field: "name" });
    const strange = { ...description, class: "SUBMARINE" };
    given([started])
      .when({ ...note, description: strange })
      .then({ rejected: "invalid", field: "class" });
  });

  test("notes that a find is gone, so that clients get the whole list again", () => {
    const lost = { type: "NOTE_LOST", ...place };
    const after = given([started, found])
      .when(lost)
      .then([{ type: "ScanLost", id: scanId, device: "new-1" }]);
    assert.deepEqual(after.state("scan", scanId), { id: scanId, finds: {}, shrunkAt: testNow });
    given([started]).when(lost).then([]);
  });

  test("SET_SCAN_RESULT chooses among finds", () => {
    const set = { type: "SET_SCAN_RESULT", id: "new-1", ignored: false };
    given([started, found]).when(set).then([chosen]);
    given([started, found])
      .when({ ...set, ignored: true })
      .then([]);
    given([started, found, chosen])
      .when({ ...set, ignored: true })
      .then([{ ...chosen, ignored: true }]);
    given([started]).when(set).then({ rejected: "not-found", field: "id" });
    for (const id of ["constructor", "toString", "__proto__"])
      given([started, found])
        .when({ ...set, id })
        .then({ rejected: "not-found", field: "id" });
    given().when(set).then({ rejected: "not-found", field: "id" });
  });
});

describe("the end of a scan", () => {
  const end = { type: "END_SCAN" };
  const newDevice = [
    { ...added, id: "new-1" },
    { ...bound, id: "new-1" },
  ];

  test("pairs the chosen finds under the ids that they had, and drops the rest", () => {
    given([started, found])
      .when(end)
      .then([ended([], natives)]);
    const after = given([started, timer(5), found, chosen])
      .when(end)
      .then([ended(natives, []), { type: "TimerCancelled", id: scanId }, ...newDevice]);
    assert.equal(after.state("scan", scanId), undefined);
    assert.equal(after.state("device", "new-1")?.name, "Lamp");
    given().when(end).then([]);
  });

  test("does not pair a find that is still joining or unknown", () => {
    for (const unready of [{ pairingStatus: "CONNECTING" }, { description: null }])
      given([started, { ...found, ...unready }, chosen])
        .when(end)
        .then([ended([], natives)]);
  });

  test("shows a device that was paired meanwhile, and removes it if it is not wanted", () => {
    const notePaired = { type: "NOTE_PAIRED", device: "d" };
    const paired = { ...found, device: "d", description: null, paired: true, pairingStatus: "COMPLETE" };
    const home = [started, added, bound];
    const after = given(home).when(notePaired).then([paired]);
    assert.equal(after.state("scan", scanId)?.finds["d"]?.ignored, false);
    given([...home, paired])
      .when(notePaired)
      .then([]);
    given([...home, paired])
      .when({ type: "NOTE_LOST", protocol: "zigbee", native: "0x1" })
      .then([]);
    const its = [{ ...natives[0], device: "d" }];
    given([...home, paired])
      .when(end)
      .then([ended(its, [])]);
    const unwanted = { ...chosen, device: "d", ignored: true };
    given([...home, paired, unwanted])
      .when(end)
      .then([ended([], its), { type: "DeviceRemoved", id: "d", groups: [] }, unbound]);
    given([...home, paired, unwanted, { type: "DeviceRemoved", id: "d", groups: [] }, unbound])
      .when(end)
      .then([ended([], its)]);
  });
});

test("CMD_IGNORE_DEVICE removes a device for good, unless it is locked", () => {
  const ignore = { type: "CMD_IGNORE_DEVICE", id: "d" };
  const events = [
    { type: "DeviceRemoved", id: "d", groups: [] },
    unbound,
    { type: "DeviceIgnored", id: "d" },
  ];
  given([added, bound]).when(ignore).then(events);
  given([added, bound, { type: "DeviceLockSet", id: "d", locked: true }])
    .when(ignore)
    .then({ rejected: "forbidden", field: "id" });
  given().when(ignore).then({ rejected: "not-found", field: "id" });
});

test("previewOf shows a find as the device that it would be", () => {
  const find = given([started]).when(note).then([found]).state("scan", scanId)?.finds["new-1"] as Find;
  const preview = previewOf(find);
  assert.deepEqual([preview?.id, preview?.name, preview?.type], ["new-1", "Lamp", "LIGHT"]);
  assert.equal("radio" in (preview ?? {}), false);
  assert.equal(previewOf({ ...find, description: null }), null);
});
