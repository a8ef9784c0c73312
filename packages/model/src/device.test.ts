import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  crowdedWorld,
  given,
  isWellFormed,
  lamp,
  motion,
  player,
  reported,
  siren,
  socket,
  testNow,
} from "@ledge/testkit";
import { accessMasks } from "./access.ts";
import { deviceClasses } from "./capability.ts";
import type { Reader } from "./decider.ts";
import { isRejection } from "./decider.ts";
import { deviceKeys } from "./device-content.ts";
import type { DeviceCommand } from "./device.ts";
import { CmdDevice, CmdDeviceLock, CmdDeviceMeta, CmdDeviceOn, CmdDeviceVisible, device } from "./device.ts";
import { Device } from "./device-object.ts";
import { limits } from "./limits.ts";

const room = { type: "RoomCreated", id: "r1", name: "Hall", order: 0 };
const noDevice = { rejected: "not-found", message: "no device nowhere", field: "id" } as const;

const content = {
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF"],
  manufacturer: "Maker",
  model: "M1",
  extras: {},
};
const add = { type: "ADD_DEVICE", name: "Lamp", protocol: "sim", native: "n1", radio: "air", ...content };

describe("ADD_DEVICE", () => {
  test("adds a device and its binding", () => {
    const after = given()
      .when(add)
      .then([
        { type: "DeviceAdded", id: "new-1", name: "Lamp", ...content },
        { type: "DeviceBound", id: "new-1", protocol: "sim", native: "n1", radio: "air" },
      ]);
    assert.deepEqual(after.state("device", "new-1"), {
      type: "LIGHT",
      id: "new-1",
      name: "Lamp",
      capabilities: { type: "SET", values: ["DEVICE", "ON_OFF"] },
      room: [],
      groups: [],
      zones: [],
      manufacturer: "Maker",
      model: "M1",
      description: null,
      deviceType: null,
      rwx: 509,
      visible: true,
      state: { type: "STATE_LIGHT", isOn: false, transitionMsec: null, reachable: true, lastSeen: null },
      timestamp: testNow,
    });
    assert.deepEqual(after.state("binding", "new-1")?.native, "n1");
  });

  for (const type of ["SUBMARINE", "constructor", "__proto__", ""]) {
    test(`refuses the class "${type}"`, () => {
      given()
        .when({ ...add, class: type })
        .then({ rejected: "invalid", message: `no device class ${type}`, field: "class" });
      given([lamp])
        .when({ type: "DESCRIBE_DEVICE", id: "lamp", ...content, class: type })
        .then({ rejected: "invalid", field: "class" });
    });
  }

  test("keeps each capability once", () => {
    const capabilities = ["DEVICE", "ON_OFF", "DEVICE"];
    const after = given()
      .when({ ...add, capabilities })
      .then([
        { type: "DeviceAdded", id: "new-1", name: "Lamp", ...content },
        { type: "DeviceBound", id: "new-1", protocol: "sim", native: "n1", radio: "air" },
      ]);
    assert.deepEqual(after.state("device", "new-1")?.capabilities.values, ["DEVICE", "ON_OFF"]);
  });

  test("keeps the extras of its hardware, without the keys of every device", () => {
    const extras = {
      buttons: [{ id: 1 }],
      cameraId: "c",
      ...Object.fromEntries([...deviceKeys].map((key) => [key, 0])),
    };
    const kept = { buttons: [{ id: 1 }], cameraId: "c" };
    const after = given()
      .when({ ...add, extras })
      .then([
        { type: "DeviceAdded", id: "new-1", name: "Lamp", ...content, extras: kept },
        { type: "DeviceBound", id: "new-1", protocol: "sim", native: "n1", radio: "air" },
      ]);
    const { buttons, rwx } = after.state("device", "new-1") as Device & { buttons: unknown };
    assert.deepEqual([buttons, rwx], [kept.buttons, 509]);
  });

  test("refuses a device beyond the limit", () => {
    const command = add as DeviceCommand;
    const refusal = { rejected: "invalid", message: `at most ${limits.devices} devices` };
    assert.deepEqual(device.decide(command, undefined, crowdedWorld(limits.devices)), refusal);
    assert.ok(!isRejection(device.decide(command, undefined, crowdedWorld(limits.devices - 1))));
  });

  test("gives a device the keys of its class, for every class", () => {
    for (const [type, { state, keys }] of Object.entries(deviceClasses)) {
      const shown = given([{ ...lamp, class: type }]).state("device", "lamp");
      assert.deepEqual(shown?.state, { type: state, ...keys, reachable: true, lastSeen: null });
      assert.ok(isWellFormed(Device, shown));
    }
  });
});

test("replays a log with a class of another release", () => {
  const described = { type: "DeviceDescribed", id: "lamp", ...content, class: "AIRSHIP" };
  const shown = given([{ ...lamp, class: "SUBMARINE" }, described]).state("device", "lamp");
  assert.deepEqual(
    [shown?.type, shown?.state["type"], shown?.state["reachable"]],
    ["AIRSHIP", "STATE_AIRSHIP", true],
  );
});

test("deviceKeys are the keys of the schema", () => {
  assert.deepEqual([...deviceKeys].toSorted(), Object.keys(Device.properties).toSorted());
});

describe("DESCRIBE_DEVICE", () => {
  const before = given([
    lamp,
    reported("lamp", { isOn: true, brightness: 0.5 }),
    { type: "DeviceRenamed", id: "lamp", name: "Desk" },
  ]);
  const same = {
    class: lamp.class,
    capabilities: lamp.capabilities,
    manufacturer: null,
    model: null,
    extras: {},
  };

  test("changes what differs, and keeps what users set and devices reported", () => {
    before.when({ type: "DESCRIBE_DEVICE", id: "lamp", ...same }).then([]);
    const news = { ...same, model: "M2", capabilities: ["DEVICE", "ON_OFF"], extras: { buttons: [] } };
    const after = before
      .when({ type: "DESCRIBE_DEVICE", id: "lamp", ...news })
      .then([{ type: "DeviceDescribed", id: "lamp", ...news }]);
    const shown = after.state("device", "lamp") as Device & { buttons: unknown };
    const { name, model, capabilities, state, buttons, timestamp } = shown;
    assert.deepEqual([name, model, capabilities.values, buttons], ["Desk", "M2", news.capabilities, []]);
    assert.deepEqual([state["isOn"], state["brightness"], timestamp], [true, 0.5, testNow]);
    given([lamp, { type: "DeviceDescribed", id: "lamp", ...news }])
      .when({ type: "DESCRIBE_DEVICE", id: "lamp", ...news })
      .then([]);
  });

  test("adds the keys of a new class", () => {
    const news = { ...same, class: "SMOKE_ALARM" };
    const after = before
      .when({ type: "DESCRIBE_DEVICE", id: "lamp", ...news })
      .then([{ type: "DeviceDescribed", id: "lamp", ...news }]);
    const { type, state } = after.state("device", "lamp") ?? {};
    assert.deepEqual(
      [type, state?.["type"], state?.["alert"], state?.["isOn"]],
      ["SMOKE_ALARM", "STATE_SMOKE_ALARM", false, true],
    );
  });
});

describe("REPORT_DEVICE", () => {
  const report = (attributes: object, at = 900) => ({ type: "REPORT_DEVICE", id: "lamp", attributes, at });

  test("notes what differs", () => {
    const after = given([lamp])
      .when(report({ isOn: true, brightness: 0.5 }))
      .then([reported("lamp", { isOn: true, brightness: 0.5 }, 900)]);
    assert.deepEqual(after.state("device", "lamp")?.state, {
      type: "STATE_LIGHT",
      isOn: true,
      brightness: 0.5,
      transitionMsec: null,
      reachable: true,
      lastSeen: 900,
    });
    given([lamp])
      .when(report({ isOn: false }))
      .then([]);
    given([lamp]).when(report({})).then([]);
  });

  test("keeps the newest lastSeen when a report comes late", () => {
    const after = given([lamp, reported("lamp", { isOn: true }, 900)])
      .when(report({ isOn: false }, 800))
      .then([reported("lamp", { isOn: false }, 800)]);
    assert.equal(after.state("device", "lamp")?.state["lastSeen"], 900);
  });

  test("does not count an unreachable device as seen", () => {
    const lost = [reported("lamp", { reachable: false }, 900)];
    const never = given([lamp])
      .when(report({ reachable: false }))
      .then(lost);
    assert.equal(never.state("device", "lamp")?.state["lastSeen"], null);
    const before = given([lamp, reported("lamp", { isOn: true }, 700)])
      .when(report({ reachable: false }))
      .then(lost);
    assert.equal(before.state("device", "lamp")?.state["lastSeen"], 700);
  });
});

const issued = (device_: string, attributes: object, absolute = true) => ({
  type: "CommandIssued",
  id: "new-1",
  device: device_,
  attributes,
  absolute,
  group: null,
});

describe("commands to a device", () => {
  test("accept the state under either of its names", () => {
    const wanted = [issued("lamp", { isOn: true, brightness: 0.3 })];
    const state = { type: "STATE_LIGHT", isOn: true, brightness: 0.3 };
    given([lamp]).when({ type: "CMD_DEVICE", id: "lamp", state }).then(wanted);
    given([lamp]).when({ type: "CMD_DEVICE", id: "lamp", payload: state }).then(wanted);
    given([lamp]).when({ type: "CMD_DEVICE", id: "lamp", state: null, payload: state }).then(wanted);
    given([lamp]).when({ type: "CMD_DEVICE", id: "lamp" }).then({ rejected: "invalid", field: "state" });
  });

  test("leave the device unchanged until it reports", () => {
    const before = given([lamp]);
    const after = before.when({ type: "CMD_DEVICE_ON", id: "lamp" }).then([issued("lamp", { isOn: true })]);
    assert.equal(after.state("device", "lamp"), before.state("device", "lamp"));
    assert.equal(after.state("command", "new-1")?.issuedAt, testNow);
  });

  test("are sent even when the device shows the state already", () => {
    given([lamp, reported("lamp", { isOn: true })])
      .when({ type: "CMD_DEVICE_ON", id: "lamp" })
      .then([issued("lamp", { isOn: true })]);
    given([lamp])
      .when({ type: "CMD_DEVICE_OFF", id: "lamp" })
      .then([issued("lamp", { isOn: false })]);
  });

  test("are refused without the capability", () => {
    const refusal = { rejected: "invalid", message: "the device has no ON_OFF", field: "id" } as const;
    given([motion]).when({ type: "CMD_DEVICE_ON", id: "motion" }).then(refusal);
    given([siren]).when({ type: "CMD_DEVICE_OFF", id: "siren" }).then(refusal);
    given([socket])
      .when({ type: "CMD_DEVICE", id: "socket", state: { isOn: true, fanMode: 2 } })
      .then({ rejected: "invalid", field: "state.fanMode" });
  });

  test("are impulses when they are not idempotent", () => {
    const sound = { type: "CMD_DEVICE", id: "siren", state: { isOn: true } };
    given([siren])
      .when(sound)
      .then([issued("siren", { isOn: true }, false)]);
    given([{ ...siren, class: "POWER_SOCKET" }])
      .when(sound)
      .then([issued("siren", { isOn: true }, false)]);
    const avtData = { type: "MR_AVT_DATA", currentTrack: 3 };
    given([player])
      .when({ type: "CMD_DEVICE", id: "player", state: { avtData } })
      .then([issued("player", { avtData }, false)]);
    given([player])
      .when({ type: "CMD_DEVICE", id: "player", state: { rcData: { volume: 5 } } })
      .then([issued("player", { rcData: { volume: 5 } })]);
    const bolt = { ...siren, id: "bolt", class: "CONTACT", capabilities: ["DEVICE", "LOCK"] };
    for (const locked of [true, false]) {
      given([bolt])
        .when({ type: "CMD_DEVICE", id: "bolt", state: { locked } })
        .then([issued("bolt", { locked }, locked)]);
    }
  });
});

describe("CMD_DEVICE_META", () => {
  const meta = { type: "CMD_DEVICE_META", id: "lamp" };

  test("changes what is given and differs", () => {
    const before = given([room, lamp]);
    const renamed = { type: "DeviceRenamed", id: "lamp", name: "Desk" };
    const moved = { type: "DeviceMoved", id: "lamp", room: ["r1"] };
    const after = before.when({ ...meta, name: "Desk", room: ["r1"] }).then([renamed, moved]);
    assert.deepEqual(
      [after.state("device", "lamp")?.name, after.state("device", "lamp")?.room],
      ["Desk", ["r1"]],
    );
    before.when({ ...meta, name: "lamp", room: [] }).then([]);
    before.when({ ...meta, name: null, room: null }).then([]);
    before.when(meta).then([]);
    given([room, lamp, moved])
      .when({ ...meta, room: [] })
      .then([{ ...moved, room: [] }]);
    given([room, lamp, moved])
      .when({ ...meta, room: ["r1"] })
      .then([]);
  });

  test("refuses an unknown room", () => {
    given([room, lamp])
      .when({ ...meta, name: "Desk", room: ["r9"] })
      .then({ rejected: "invalid", message: "no room r9", field: "room" });
  });
});

test("CMD_DEVICE_VISIBLE hides a device from guests and shows it again", () => {
  const visible = (value: boolean) => ({ type: "CMD_DEVICE_VISIBLE", id: "lamp", visible: value });
  const set = (value: boolean) => ({ type: "DeviceVisibilitySet", id: "lamp", visible: value });
  given([lamp]).when(visible(true)).then([]);
  const hidden = given([lamp])
    .when(visible(false))
    .then([set(false)])
    .state("device", "lamp");
  const shown = given([lamp, set(false)])
    .when(visible(true))
    .then([set(true)])
    .state("device", "lamp");
  assert.ok(hidden && shown);
  const masks = [shown, hidden].map((state) => device.delta?.readMask?.(state));
  assert.deepEqual(masks, [accessMasks.GUEST, accessMasks.IDENTIFIED_USER]);
});

describe("a device that the owner has locked", () => {
  const lock = (locked: boolean) => ({ type: "CMD_DEVICE_LOCK", id: "lamp", locked });
  const set = (locked: boolean) => ({ type: "DeviceLockSet", id: "lamp", locked });

  test("shows that in its rights, until it is unlocked", () => {
    const locked = given([lamp])
      .when(lock(true))
      .then([set(true)]);
    assert.equal(locked.state("device", "lamp")?.rwx, 0o555);
    given([lamp, set(true)])
      .when(lock(true))
      .then([]);
    given([lamp]).when(lock(false)).then([]);
    const unlocked = given([lamp, set(true)])
      .when(lock(false))
      .then([set(false)]);
    assert.equal(unlocked.state("device", "lamp")?.rwx, 509);
  });

  test("cannot be removed, but renamed and commanded", () => {
    const home = given([lamp, set(true)]);
    home
      .when({ type: "REMOVE_DEVICE", id: "lamp" })
      .then({ rejected: "forbidden", message: "the device is locked", field: "id" });
    home
      .when({ type: "CMD_DEVICE_META", id: "lamp", name: "A" })
      .then([{ type: "DeviceRenamed", id: "lamp", name: "A" }]);
    home.when({ type: "CMD_DEVICE_ON", id: "lamp" }).then([issued("lamp", { isOn: true })]);
  });

  test("can be locked and hidden together with other changes", () => {
    given([lamp])
      .when({ type: "CMD_DEVICE_META", id: "lamp", name: "A", visible: false, locked: true })
      .then([
        { type: "DeviceRenamed", id: "lamp", name: "A" },
        { type: "DeviceVisibilitySet", id: "lamp", visible: false },
        set(true),
      ]);
    given([lamp]).when({ type: "CMD_DEVICE_META", id: "lamp", visible: null, locked: null }).then([]);
  });
});

test("REMOVE_DEVICE removes and unbinds a device, and names its groups", () => {
  const bound = { type: "DeviceBound", id: "lamp", protocol: "sim", native: "n1", radio: "air" };
  const after = given([lamp, bound, { type: "DeviceGroupsChanged", id: "lamp", groups: ["g1", "g2"] }])
    .when({ type: "REMOVE_DEVICE", id: "lamp" })
    .then([
      { type: "DeviceRemoved", id: "lamp", groups: ["g1", "g2"] },
      { type: "DeviceUnbound", id: "lamp" },
    ]);
  assert.deepEqual(
    [after.state("device", "lamp"), after.state("binding", "lamp")?.removed],
    [undefined, true],
  );
});

test("a device lists its groups, oldest first", () => {
  const groups = (...ids: string[]) => ({ type: "DeviceGroupsChanged", id: "lamp", groups: ids });
  const join = (group: string) => ({ type: "JOIN_GROUP", id: "lamp", group });
  const leave = (group: string) => ({ type: "LEAVE_GROUP", id: "lamp", group });
  given([lamp])
    .when(join("g1"))
    .then([groups("g1")]);
  const before = given([lamp, groups("g1", "g2")]);
  before.when(join("g2")).then([]);
  before.when(leave("g3")).then([]);
  before.when(leave("g1")).then([groups("g2")]);
  const state = before
    .when(join("g3"))
    .then([groups("g1", "g2", "g3")])
    .state("device", "lamp");
  assert.ok(state);
  const context = { read: {} as Reader, seen: undefined, language: "en", timestamp: 1, forGuests: false };
  const served = device.delta?.render?.(state, context) as Device | undefined;
  assert.deepEqual(served?.groups, ["g1"]);
});

test("the API shows when a device was last heard of, from memory or the log", () => {
  const seenAt = (logged: number | undefined, seen: number | undefined): unknown => {
    const state = given([
      lamp,
      ...(logged === undefined ? [] : [reported("lamp", { isOn: true }, logged)]),
    ]).state("device", "lamp");
    assert.ok(state);
    const served = device.delta?.render?.(state, {
      read: {} as Reader,
      seen,
      language: "en",
      forGuests: false,
      timestamp: 1,
    }) as Device;
    assert.ok(isWellFormed(Device, served));
    return served.state["lastSeen"];
  };
  assert.deepEqual(
    [seenAt(undefined, undefined), seenAt(5, undefined), seenAt(undefined, 7), seenAt(5, 7), seenAt(9, 7)],
    [null, 5, 7, 7, 9],
  );
});

test("every command to an unknown device is refused", () => {
  for (const command of [
    { type: "CMD_DEVICE", state: { isOn: true } },
    { type: "CMD_DEVICE_ON" },
    { type: "CMD_DEVICE_OFF" },
    { type: "CMD_DEVICE_META", name: "A" },
    { type: "CMD_DEVICE_VISIBLE", visible: true },
    { type: "CMD_DEVICE_LOCK", locked: true },
    { type: "DESCRIBE_DEVICE", ...content },
    { type: "REPORT_DEVICE", attributes: { isOn: true }, at: 5 },
    { type: "REMOVE_DEVICE" },
    { type: "JOIN_GROUP", group: "g1" },
    { type: "LEAVE_GROUP", group: "g1" },
  ]) {
    given([lamp])
      .when({ ...command, id: "nowhere" })
      .then(noDevice);
  }
});

test("events of a removed device do not bring it back", () => {
  const gone = { type: "DeviceRemoved", id: "lamp", groups: [] };
  for (const event of [
    reported("lamp", { isOn: true }),
    { type: "DeviceRenamed", id: "lamp", name: "A" },
    { type: "DeviceDescribed", id: "lamp", ...content },
  ]) {
    assert.equal(given([lamp, gone, event]).state("device", "lamp"), undefined);
  }
});

for (const [schema, command, changes, isValid] of [
  [CmdDevice, { type: "CMD_DEVICE", id: "d" }, {}, true],
  [CmdDevice, { type: "CMD_DEVICE", id: "d" }, { state: null, payload: null }, true],
  [CmdDevice, { type: "CMD_DEVICE", id: "d" }, { state: { mode: 2 } }, true],
  [CmdDevice, { type: "CMD_DEVICE", id: "d" }, { state: [] }, false],
  [CmdDevice, { type: "CMD_DEVICE", id: "d" }, { state: "on" }, false],
  [CmdDevice, { type: "CMD_DEVICE", id: "d" }, { id: 5 }, false],
  [CmdDeviceOn, { type: "CMD_DEVICE_ON", id: "d" }, {}, true],
  [CmdDeviceOn, { type: "CMD_DEVICE_ON", id: "d" }, { id: null }, false],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { name: null, room: null }, true],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { name: "x".repeat(limits.nameChars) }, true],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { name: "x".repeat(limits.nameChars + 1) }, false],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { name: "" }, false],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { room: ["a"] }, true],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { room: ["a", "b"] }, false],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { visible: null, locked: true }, true],
  [CmdDeviceMeta, { type: "CMD_DEVICE_META", id: "d" }, { locked: 1 }, false],
  [CmdDeviceLock, { type: "CMD_DEVICE_LOCK", id: "d", locked: true }, {}, true],
  [CmdDeviceLock, { type: "CMD_DEVICE_LOCK", id: "d", locked: true }, { locked: null }, false],
  [CmdDeviceVisible, { type: "CMD_DEVICE_VISIBLE", id: "d", visible: false }, {}, true],
  [CmdDeviceVisible, { type: "CMD_DEVICE_VISIBLE", id: "d", visible: false }, { visible: null }, false],
] as const) {
  const said = { ...command, ...changes };
  test(`${JSON.stringify(said).slice(0, 90)} is ${isValid ? "well formed" : "malformed"}`, () => {
    assert.equal(isWellFormed(schema, said), isValid);
  });
}
