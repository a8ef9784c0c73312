import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const content = { capabilities: ["DEVICE", "ON_OFF"], manufacturer: "Maker", model: "M1", extras: {} };

type Events = Parameters<typeof given>[0];

function deviceNamed(id: string, native: string, more: object = {}): NonNullable<Events> {
  return [
    { type: "DeviceAdded", id, name: id, class: "LIGHT", ...content, ...more },
    { type: "DeviceBound", id, protocol: "zigbee", native, radio: "zigbee" },
  ];
}

const [old, fresh] = [deviceNamed("old", "n1"), deviceNamed("new", "n2")];
const replace = { type: "CMD_REPLACE_DEVICE", id: "old", by: "new" };
const bound = (id: string, native: string) =>
  ({ type: "DeviceBound", id, protocol: "zigbee", native, radio: "zigbee" }) as const;
const replaced = [
  { type: "DeviceReplaced", id: "old", by: "new", protocol: "zigbee", native: "n2", former: "n1" },
  { type: "DeviceRemoved", id: "new", groups: [] },
  bound("old", "n2"),
  bound("new", "n1"),
  { type: "DeviceUnbound", id: "new" },
];

test("a device keeps its id, room and name when other hardware takes its place", () => {
  const room = { type: "RoomCreated", id: "r1", name: "Hall", order: 0 };
  const moved = { type: "DeviceMoved", id: "old", room: ["r1"] };
  const after = given([room, ...old, moved, ...fresh])
    .when(replace)
    .then(replaced);
  assert.deepEqual(after.state("device", "old")?.room, ["r1"]);
  assert.equal(after.state("device", "new"), undefined);
  assert.equal(after.state("binding", "old")?.native, "n2");
  assert.deepEqual(after.state("binding", "new"), {
    id: "new",
    protocol: "zigbee",
    native: "n1",
    radio: "zigbee",
    removed: true,
  });
});

test("the device shows the state of its new hardware at once", () => {
  const report = { type: "DeviceReported", id: "new", attributes: { isOn: true, button: 1 }, at: 5 };
  const rest = replaced.slice(1);
  given([...old, ...fresh, report])
    .when(replace)
    .then([
      ...replaced.slice(0, 1),
      { type: "DeviceReported", id: "old", attributes: { isOn: true }, at: 5 },
      ...rest,
    ]);
});

test("a replacement of another class or with less is refused unless it is forced", () => {
  const cases = [
    [{ class: "POWER_SOCKET" }, "is a POWER_SOCKET, and the device is a LIGHT: use force"],
    [{ capabilities: ["DEVICE"] }, "has no ON_OFF: use force"],
  ] as const;
  for (const [more, message] of cases) {
    const home = given([...old, ...deviceNamed("new", "n2", more)]);
    home.when(replace).then({ rejected: "invalid", message, field: "by" });
    home.when({ ...replace, force: true }).then(replaced);
  }
});

test("capabilities that no rule needs may be missing", () => {
  const capable = deviceNamed("old", "n1", { capabilities: ["DEVICE", "ON_OFF", "UPGRADE", "IDENTIFY"] });
  given([...capable, ...fresh])
    .when(replace)
    .then(replaced);
});

test("refuses unknown, equal, locked and unbound devices", () => {
  const noOther = (by: string) =>
    ({ rejected: "not-found", message: `no other device ${by}`, field: "by" }) as const;
  const home = given([...old, ...fresh]);
  home.when({ ...replace, id: "x" }).then({ rejected: "not-found", message: "no device x", field: "id" });
  home.when({ ...replace, by: "x" }).then(noOther("x"));
  home.when({ ...replace, by: "old" }).then(noOther("old"));
  given([...old, ...fresh, { type: "DeviceLockSet", id: "new", locked: true }])
    .when(replace)
    .then({ rejected: "forbidden", message: "the device is locked", field: "by" });
  given([...old, ...fresh.slice(0, 1)])
    .when(replace)
    .then({
      rejected: "invalid",
      message: "a device without an adapter cannot be replaced",
      field: "by",
    });
});
