import assert from "node:assert/strict";
import { test } from "node:test";
import { type HubUpdate, Refused } from "@ledge/api";
import { upgradeInfo } from "@ledge/model";
import { openTestKernel, until } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import { OwnDevice, upgradeOf } from "./own-device.ts";

const idle: HubUpdate = {
  type: "HUB_UPDATE",
  release: "0.2.0",
  updatesItself: true,
  phase: "IDLE",
  version: null,
  pctComplete: null,
  available: "0.3.0",
  outcome: null,
  previous: null,
};

test("the machine is a device whose update is started and followed like any other's", async () => {
  const { kernel, clock, accept } = openTestKernel();
  let status = idle;
  let listener = (): void => {};
  const refusals: Refused[] = [];
  let begun = 0;
  const updates = {
    status: () => status,
    begin: async () => {
      begun += 1;
      return refusals[0];
    },
    onChange: (told: () => void) => {
      listener = told;
      return () => {};
    },
  };
  const notes = new Notes(kernel, clock, createLogger("silent"));
  const host = { kernel, notes, updates };
  const machine = new OwnDevice(host);
  await machine.start();
  const [[id, device] = ["", undefined]] = [...kernel.all("device")];
  assert.deepEqual([device?.type, device?.state["reachable"]], ["VENDOR_HUB", true]);
  const info = (): ReturnType<typeof upgradeInfo> => upgradeInfo(id, kernel.get("upgrade", id));
  assert.deepEqual([info().status, info().swVersion, info().newSwVersion], ["AVAILABLE", "0.2.0", "0.3.0"]);

  await accept({ type: "CMD_START_UPGRADE", id });
  await until("the update begins", () => begun === 1);
  status = { ...idle, phase: "FETCHING", pctComplete: 43 };
  listener();
  await until("the progress is told", () => info().status === "INSTALLING");
  assert.equal(info().pctComplete, 40);
  const extras = kernel.get("device", id)?.state["extras"] as Record<string, { value: unknown }>;
  assert.deepEqual([extras["updatePhase"]?.value, extras["updatePercent"]?.value], ["FETCHING", 40]);

  status = {
    ...idle,
    available: null,
    outcome: { result: "FAILED", version: null, message: "the disk is full", at: 1 },
  };
  listener();
  await until("the failure is told", () => info().status === "FAILED");
  assert.equal(info().message, "the disk is full");

  status = idle;
  listener();
  await until("it is offered again", () => info().status === "AVAILABLE");
  refusals.push(new Refused(422, "an update is being fetched"));
  await accept({ type: "CMD_START_UPGRADE", id });
  await until("the refusal is told", () => info().status === "REFUSED");
  assert.equal(info().message, "an update is being fetched");
  machine.stop();

  const again = new OwnDevice(host);
  await again.start();
  assert.equal(kernel.size("device"), 1);
  again.stop();
  await accept({ type: "REMOVE_DEVICE", id });
  await new OwnDevice(host).start();
  assert.equal(kernel.size("device"), 0);
});

test("UPGRADE_INFO says of every phase that it is installing, and of an idle machine what it may do", () => {
  const of = (update: Partial<HubUpdate>): string => upgradeOf({ ...idle, ...update }).status;
  for (const phase of ["FETCHING", "CHECKING", "INSTALLING", "INSTALLED", "TRIAL", "RETURNING"] as const)
    assert.equal(of({ phase }), "INSTALLING");
  const failed = {
    result: "ROLLED_BACK",
    version: "0.3.0",
    message: "release 0.3.0 did not start",
    at: 1,
  } as const;
  assert.equal(of({ available: null }), "UP_TO_DATE");
  assert.equal(of({ available: null, outcome: failed }), "FAILED");
  assert.equal(of({ outcome: failed }), "AVAILABLE");
  assert.equal(upgradeOf({ ...idle, outcome: { ...failed, result: "INSTALLED" } }).lastUpgrade, 1);
});
