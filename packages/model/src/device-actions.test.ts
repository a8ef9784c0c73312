import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given } from "@ledge/testkit";
import { roles, SUPER_ADMIN } from "./access.ts";
import { deviceAccess, isLocked, lockedRwx, mayConfigure, unlockedRwx } from "./device-access.ts";

const added = (capabilities: readonly string[], deviceClass = "LIGHT") => ({
  type: "DeviceAdded",
  id: "d1",
  name: "Device",
  class: deviceClass,
  capabilities: ["DEVICE", ...capabilities],
  manufacturer: null,
  model: null,
  extras: {},
});
const issued = (action: string, absolute: boolean) => ({
  type: "CommandIssued",
  id: "new-1",
  device: "d1",
  attributes: {},
  absolute,
  group: null,
  action,
});

describe("actions", () => {
  test("CMD_IDENTIFY needs IDENTIFY and is an impulse", () => {
    const identify = { type: "CMD_IDENTIFY", id: "d1" };
    const after = given([added(["IDENTIFY"])])
      .when(identify)
      .then([issued("identify", false)]);
    assert.equal(after.state("command", "new-1")?.action, "identify");
    given([added(["ON_OFF"])])
      .when(identify)
      .then({ rejected: "invalid", field: "id" });
    given().when(identify).then({ rejected: "not-found", field: "id" });
  });

  test("CMD_SNAPSHOT needs a camera and is an impulse", () => {
    const snapshot = { type: "CMD_SNAPSHOT", id: "d1" };
    given([added([], "CAMERA")])
      .when(snapshot)
      .then([issued("snapshot", false)]);
    given([added(["LIVE_FEED"])])
      .when(snapshot)
      .then({ rejected: "invalid", field: "id" });
  });

  test("CMD_REFRESH_DEVICE works on every device and is idempotent", () => {
    given([added([])])
      .when({ type: "CMD_REFRESH_DEVICE", id: "d1" })
      .then([issued("refresh", true)]);
  });
});

describe("rights to configure a device", () => {
  const set = (rwx: number) => ({ type: "CMD_DEVICE_ACCESS", id: "d1", rwx });
  const is = (rwx: number) => ({ type: "DeviceAccessSet", id: "d1", rwx });

  test("CMD_DEVICE_ACCESS sets them; repeating it changes nothing", () => {
    for (const rwx of deviceAccess.slice(1))
      given([added([])])
        .when(set(rwx))
        .then([is(rwx)]);
    given([added([])])
      .when(set(unlockedRwx))
      .then([]);
    given([added([]), is(lockedRwx)])
      .when(set(lockedRwx))
      .then([]);
  });

  test("CMD_DEVICE_LOCK takes all of them, and unlocking restores all of them", () => {
    const lock = (locked: boolean) => ({ type: "CMD_DEVICE_LOCK", id: "d1", locked });
    const lockSet = (locked: boolean) => ({ type: "DeviceLockSet", id: "d1", locked });
    const [, ownerOnly] = deviceAccess;
    given([added([]), is(ownerOnly)])
      .when(lock(true))
      .then([lockSet(true)]);
    const after = given([added([]), is(lockedRwx)])
      .when(lock(false))
      .then([lockSet(false)]);
    assert.equal(after.state("device", "d1")?.rwx, unlockedRwx);
    given([added([]), is(lockedRwx)])
      .when({ type: "REMOVE_DEVICE", id: "d1" })
      .then({ rejected: "forbidden", field: "id" });
  });

  for (const [rwx, owner, admin] of [
    [0b111_111_101, true, true],
    [0b111_101_101, true, false],
    [0b101_101_101, false, false],
  ] as const) {
    test(`rwx ${rwx}: the owner ${owner}, admins ${admin}, others never`, () => {
      assert.equal(mayConfigure({ rwx }, roles.OWNER_ADMIN), owner);
      assert.equal(mayConfigure({ rwx }, SUPER_ADMIN), owner);
      assert.equal(mayConfigure({ rwx }, roles.USER_ADMIN), admin);
      assert.equal(isLocked({ rwx }), !owner);
    });
  }
});
