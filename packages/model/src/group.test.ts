import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  colourLamp,
  given,
  isWellFormed,
  lamp,
  reported,
  socket,
  testNow,
  thermostat,
  type Given,
} from "@ledge/testkit";
import type { Reader } from "./decider.ts";
import type { DomainEvent } from "./event.ts";
import { CmdGroup, CmdGroupOn, group } from "./group.ts";
import { limits } from "./limits.ts";
import type { States } from "./states.ts";

const room = { type: "RoomCreated", id: "r1", name: "Hall", order: 0 };
const created = (id: string, members: string[], of: string[] = []) => ({
  type: "GroupCreated",
  id,
  name: "All",
  members,
  room: of,
});
const home = [room, lamp, socket, thermostat];
const all = created("g1", ["lamp", "socket"], ["r1"]);
const noGroup = { rejected: "not-found", message: "no group nowhere", field: "id" } as const;

describe("CMD_GROUP", () => {
  for (const id of [null, undefined]) {
    test(`creates a group with id ${id}`, () => {
      const command = { type: "CMD_GROUP", ...(id === null && { id }), name: "All" };
      const create = given(home).when({ ...command, members: ["socket", "lamp"], room: ["r1"] });
      create.then([created("new-1", ["socket", "lamp"], ["r1"])]);
      given(home)
        .when({ ...command, members: null, room: null })
        .then([created("new-1", [])]);
      given(home)
        .when(command)
        .then([created("new-1", [])]);
    });
  }

  test("keeps each member once", () => {
    const members = ["lamp", "socket", "lamp", "lamp"];
    given(home)
      .when({ type: "CMD_GROUP", name: "All", members })
      .then([created("new-1", ["lamp", "socket"])]);
    const change = given([...home, all]).when({ type: "CMD_GROUP", id: "g1", members });
    change.then([]);
  });

  for (const [what, changes, refusal] of [
    ["no name", { name: null }, { field: "name", message: "a new group needs a name" }],
    ["an unknown member", { members: ["lamp", "ghost"] }, { field: "members", message: "no device ghost" }],
    ["an unknown room", { room: ["r9"] }, { field: "room", message: "no room r9" }],
  ] as const) {
    test(`creates no group with ${what}`, () => {
      given(home)
        .when({ type: "CMD_GROUP", name: "All", members: ["lamp"], ...changes })
        .then({ rejected: "invalid", ...refusal });
    });
  }

  test("creates groups up to the limit", () => {
    const groups = (count: number) => Array.from({ length: count }, (_, index) => created(`g${index}`, []));
    const command = { type: "CMD_GROUP", name: "All" };
    given(groups(limits.groups - 1))
      .when(command)
      .then([created("new-1", [])]);
    given(groups(limits.groups)).when(command).then({ rejected: "invalid" });
  });

  test("changes what is given and differs", () => {
    const command = { type: "CMD_GROUP", id: "g1" };
    const before = given([...home, all]);
    before.when({ ...command, name: "All", members: ["lamp", "socket"], room: ["r1"] }).then([]);
    before.when({ ...command, name: null, members: null, room: null }).then([]);
    before.when(command).then([]);
    before.when({ ...command, name: "Most" }).then([{ type: "GroupRenamed", id: "g1", name: "Most" }]);
    before.when({ ...command, room: [] }).then([{ type: "GroupMoved", id: "g1", room: [] }]);
    const members = ["thermostat", "lamp"];
    const changed = before.when({ ...command, name: "Most", members, room: [] }).then([
      { type: "GroupRenamed", id: "g1", name: "Most" },
      { type: "GroupMembersChanged", id: "g1", members, added: ["thermostat"], removed: ["socket"] },
      { type: "GroupMoved", id: "g1", room: [] },
    ]);
    assert.deepEqual(changed.state("group", "g1"), {
      type: "GROUP",
      id: "g1",
      name: "Most",
      members,
      room: [],
      timestamp: testNow,
    });
  });

  test("keeps the order of members as given", () => {
    const members = ["socket", "lamp"];
    given([...home, all])
      .when({ type: "CMD_GROUP", id: "g1", members })
      .then([{ type: "GroupMembersChanged", id: "g1", members, added: [], removed: [] }]);
  });

  test("refuses an unknown group, member or room", () => {
    const before = given([...home, all]);
    before.when({ type: "CMD_GROUP", id: "nowhere", name: "A" }).then(noGroup);
    before
      .when({ type: "CMD_GROUP", id: "g1", members: ["ghost"] })
      .then({ rejected: "invalid", field: "members" });
    before.when({ type: "CMD_GROUP", id: "g1", room: ["r9"] }).then({ rejected: "invalid", field: "room" });
  });
});

const issued = (number: number, device: string, attributes: object, absolute = true) => ({
  type: "CommandIssued",
  id: `new-${number}`,
  device,
  attributes,
  absolute,
  group: "g1",
});

describe("commands to members", () => {
  const before = given([...home, created("g1", ["socket", "thermostat", "lamp"])]);

  test("CMD_GROUP_ON and CMD_GROUP_OFF go to all that can switch", () => {
    for (const [type, isOn] of [
      ["CMD_GROUP_ON", true],
      ["CMD_GROUP_OFF", false],
    ] as const) {
      before.when({ type, id: "g1" }).then([issued(1, "socket", { isOn }), issued(2, "lamp", { isOn })]);
    }
  });

  test("SET_GROUP_STATE goes to the members that can do it", () => {
    before
      .when({ type: "SET_GROUP_STATE", id: "g1", state: { brightness: 0.5 } })
      .then([issued(1, "lamp", { brightness: 0.5 })]);
  });

  test("are refused when no member can do it, with the first member's reason", () => {
    before
      .when({ type: "SET_GROUP_STATE", id: "g1", state: { fanMode: 2 } })
      .then({ rejected: "invalid", field: "state.fanMode" });
    before.when({ type: "SET_GROUP_STATE", id: "g1", state: { brightness: 7 } }).then({
      rejected: "invalid",
      message: "the device has no capability to set brightness",
      field: "state.brightness",
    });
  });

  test("are refused for an empty and an unknown group", () => {
    const refusal = { rejected: "wrong-state", message: "the group has no members", field: "id" } as const;
    given([created("g1", [])])
      .when({ type: "CMD_GROUP_ON", id: "g1" })
      .then(refusal);
    given([lamp, created("g1", ["lamp"]), { type: "DeviceRemoved", id: "lamp", groups: [] }])
      .when({ type: "CMD_GROUP_OFF", id: "g1" })
      .then(refusal);
    for (const command of [
      { type: "CMD_GROUP_ON" },
      { type: "CMD_GROUP_OFF" },
      { type: "SET_GROUP_STATE", state: {} },
      { type: "DROP_MEMBER", device: "lamp" },
      { type: "CLEAR_GROUP_ROOM" },
      { type: "REMOVE_GROUP" },
    ]) {
      before.when({ ...command, id: "nowhere" }).then(noGroup);
    }
  });
});

test("DROP_MEMBER removes a member once", () => {
  const members = ["socket"];
  given([...home, all])
    .when({ type: "DROP_MEMBER", id: "g1", device: "lamp" })
    .then([{ type: "GroupMembersChanged", id: "g1", members, added: [], removed: ["lamp"] }]);
  given([...home, all])
    .when({ type: "DROP_MEMBER", id: "g1", device: "thermostat" })
    .then([]);
});

test("CLEAR_GROUP_ROOM removes a group from its room", () => {
  given([...home, all])
    .when({ type: "CLEAR_GROUP_ROOM", id: "g1" })
    .then([{ type: "GroupMoved", id: "g1", room: [] }]);
  given([created("g1", [])])
    .when({ type: "CLEAR_GROUP_ROOM", id: "g1" })
    .then([]);
});

test("REMOVE_GROUP removes a group and names its members", () => {
  const removal = given([...home, all]).when({ type: "REMOVE_GROUP", id: "g1" });
  const after = removal.then([{ type: "GroupRemoved", id: "g1", members: ["lamp", "socket"] }]);
  assert.equal(after.state("group", "g1"), undefined);
});

test("events of a removed group do not bring it back", () => {
  const gone = { type: "GroupRemoved", id: "g1", members: [] };
  assert.equal(
    given([...home, all, gone, { type: "GroupMoved", id: "g1", room: [] }]).state("group", "g1"),
    undefined,
  );
});

type Events = Parameters<typeof given>[0] & object;

/** Returns a group of devices as the API shows it. */
function rendered(members: string[], ...events: Events): Record<string, unknown> {
  return renderedFor(false, members, events);
}

function renderedFor(forGuests: boolean, members: string[], events: Events): Record<string, unknown> {
  const before = given([lamp, colourLamp, socket, thermostat, created("g1", members), ...events]);
  const context = { read: readerOf(before), seen: undefined, language: "en", timestamp: 77, forGuests };
  const state = before.state("group", "g1");
  assert.ok(state);
  return { ...group.delta?.render?.(state, context) };
}

function readerOf(before: Given): Reader {
  const get = ((kind: keyof States, id: string) => before.state(kind, id)) as Reader["get"];
  return { get } as Reader;
}

const hidden = (id: string) => ({ type: "DeviceVisibilitySet", id, visible: false });

describe("the API shows a group", () => {
  test("with the capabilities of all members and of any member", () => {
    const { minCapabilities, maxCapabilities, timestamp } = rendered(["lamp", "socket"]);
    assert.deepEqual(minCapabilities, { type: "SET", values: ["DEVICE", "ON_OFF"] });
    const any = [
      "ACTIVE_POWER",
      "BRIGHTNESS",
      "COLOR_TEMP",
      "CONTROL_LIGHT",
      "CONTROL_POWER",
      "DEVICE",
      "ON_OFF",
    ];
    assert.deepEqual(maxCapabilities, { type: "SET", values: any });
    assert.equal(timestamp, 77, "the timestamp of its own or a member's change");
  });

  test("with the state of its first reachable member, or of its first one", () => {
    const lost = [reported("lamp", { reachable: false })];
    const stateOf = (...args: Parameters<typeof rendered>) =>
      (rendered(...args)["state"] as { type: string } | null)?.type;
    assert.equal(stateOf(["lamp", "socket"]), "STATE_LIGHT");
    assert.equal(stateOf(["lamp", "socket"], ...lost), "STATE_SOCKET");
    assert.equal(
      stateOf(["lamp", "socket"], ...lost, reported("socket", { reachable: false })),
      "STATE_LIGHT",
    );
  });

  test("without a state if it is empty", () => {
    assert.deepEqual(rendered([]), {
      type: "GROUP",
      id: "g1",
      name: "All",
      members: [],
      room: [],
      timestamp: 77,
      state: null,
      maxCapabilities: { type: "SET", values: [] },
      minCapabilities: { type: "SET", values: [] },
    });
  });
});

describe("guests see a group", () => {
  test("without its hidden members, their state and their capabilities", () => {
    const shown = renderedFor(true, ["lamp", "socket"], [hidden("lamp")]);
    assert.deepEqual(shown["members"], ["socket"]);
    assert.equal((shown["state"] as { type: string }).type, "STATE_SOCKET");
    const values = ["ACTIVE_POWER", "CONTROL_POWER", "DEVICE", "ON_OFF"];
    assert.deepEqual(shown["minCapabilities"], { type: "SET", values });
    assert.deepEqual(shown["maxCapabilities"], { type: "SET", values });
  });

  test("of hidden members as an empty one", () => {
    const events = [hidden("lamp"), hidden("socket")];
    const { timestamp: _, ...shown } = renderedFor(true, ["lamp", "socket"], events);
    const { timestamp: __, ...empty } = rendered([]);
    assert.deepEqual(shown, empty);
  });

  test("like everybody else when nothing is hidden", () => {
    assert.deepEqual(renderedFor(true, ["lamp", "socket"], []), rendered(["lamp", "socket"]));
  });
});

describe("a guest's command", () => {
  const before = given([...home, created("g1", ["socket", "lamp"]), hidden("lamp")]);

  for (const command of [{ type: "CMD_GROUP_ON" }, { type: "SET_GROUP_STATE", state: { isOn: true } }]) {
    test(`${command.type} skips hidden members`, () => {
      const by = (byGuest: boolean) => before.when({ ...command, id: "g1", byGuest });
      by(true).then([issued(1, "socket", { isOn: true })]);
      by(false).then([issued(1, "socket", { isOn: true }), issued(2, "lamp", { isOn: true })]);
    });
  }

  test("is refused when the guest sees no capable member", () => {
    const off = { type: "CMD_GROUP_OFF", id: "g1", byGuest: true };
    const message = "the group has no members";
    given([lamp, created("g1", ["lamp"]), hidden("lamp")])
      .when(off)
      .then({ rejected: "wrong-state", message, field: "id" });
  });
});

describe("a group changes for clients", () => {
  const joined = (id: string) => ({ type: "DeviceGroupsChanged", id, groups: ["g1"] });
  const members = ["lamp", "socket"];
  const base = [...home, created("g1", members), ...members.map(joined)];
  /** Returns whether it changes for those who see everything, and for guests. */
  const isNews = (event: DomainEvent & object, ...events: Events): boolean[] => {
    const read = readerOf(given([...base, ...events]));
    return [false, true].map((forGuests) => {
      const ids = group.delta?.dependents?.(event, read, forGuests) ?? [];
      return [...ids].includes("g1");
    });
  };
  const on = (id: string) => reported(id, { isOn: true });

  test("when the member reports whose state it shows, but not for others", () => {
    assert.deepEqual(isNews(on("lamp")), [true, true]);
    assert.deepEqual(isNews(on("socket")), [false, false]);
    assert.deepEqual(isNews(on("thermostat")), [false, false]);
    assert.deepEqual(isNews(on("nowhere")), [false, false]);
  });

  test("when a member's reachability changes, as another one may be shown then", () => {
    assert.deepEqual(isNews(reported("socket", { reachable: false })), [true, true]);
  });

  test("for guests only by members that are not hidden", () => {
    assert.deepEqual(isNews(on("lamp"), hidden("lamp")), [true, false]);
    assert.deepEqual(isNews(reported("lamp", { reachable: false }), hidden("lamp")), [true, false]);
    assert.deepEqual(isNews(on("socket"), hidden("lamp")), [false, true]);
    assert.deepEqual(isNews(hidden("lamp"), hidden("lamp")), [false, true]);
    assert.deepEqual(isNews({ type: "DeviceDescribed", id: "lamp" }, hidden("lamp")), [true, false]);
  });

  test("when a member is described again, but not when it is renamed or moved", () => {
    assert.deepEqual(isNews({ type: "DeviceDescribed", id: "socket" }), [true, true]);
    assert.deepEqual(isNews({ type: "DeviceRenamed", id: "lamp" }), [false, false]);
    assert.deepEqual(isNews({ type: "DeviceMoved", id: "lamp" }), [false, false]);
  });
});

describe("the radio address of a group", () => {
  const address = { type: "ADDRESS_GROUP", id: "g1" };
  const addressed = (id: string, of: number) => ({ type: "GroupAddressed", id, address: of });
  const first = [...home, all];

  test("is set once and belongs to the group from then on", () => {
    assert.equal(given(first).state("group", "g1")?.group_address, undefined);
    const after = given(first)
      .when(address)
      .then([addressed("g1", 1)]);
    assert.equal(after.state("group", "g1")?.group_address, 1);
    given([...first, addressed("g1", 1)])
      .when(address)
      .then([]);
    given(home)
      .when({ ...address, id: "nowhere" })
      .then(noGroup);
  });

  test("is one above the highest, so that old addresses are not reused soon", () => {
    given([...first, created("g2", []), addressed("g2", 40)])
      .when(address)
      .then([addressed("g1", 41)]);
  });

  test("is the lowest free one after the highest has been used", () => {
    const others = ["g2", "g3", "g4"].map((id) => created(id, []));
    const highest = [addressed("g2", limits.groupAddress - 1), addressed("g3", 1)];
    given([...first, ...others, ...highest])
      .when(address)
      .then([addressed("g1", limits.groupAddress)]);
    given([...first, ...others, ...highest, addressed("g4", limits.groupAddress)])
      .when(address)
      .then([addressed("g1", 2)]);
  });
});

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `d${index}`);
for (const [what, changes, isValid] of [
  ["all fields", {}, true],
  ["nulls", { id: null, name: null, members: null, room: null }, true],
  ["as many members as there may be", { members: ids(limits.groupMembers) }, true],
  ["too many members", { members: ids(limits.groupMembers + 1) }, false],
  ["a member that is not an id", { members: [5] }, false],
  ["no room", { room: [] }, true],
  ["two rooms", { room: ["r1", "r2"] }, false],
  ["a blank name", { name: " " }, false],
] as const) {
  test(`a CMD_GROUP with ${what} is ${isValid ? "well formed" : "malformed"}`, () => {
    const command = { type: "CMD_GROUP", id: "g1", name: "All", members: ["d1"], room: ["r1"] };
    assert.equal(isWellFormed(CmdGroup, { ...command, ...changes }), isValid);
  });
}

test("a CMD_GROUP_ON needs an id", () => {
  assert.equal(isWellFormed(CmdGroupOn, { type: "CMD_GROUP_ON", id: "g1" }), true);
  assert.equal(isWellFormed(CmdGroupOn, { type: "CMD_GROUP_ON", id: null }), false);
});

describe("IMPORT_GROUP", () => {
  const importing = { type: "IMPORT_GROUP", name: "All", members: ["lamp", "socket"], address: 12 };
  const addressed = (id: string, address: number) => ({ type: "GroupAddressed", id, address });

  test("creates a group with the address that it has on the radio", () => {
    const after = given(home)
      .when(importing)
      .then([created("new-1", ["lamp", "socket"]), addressed("new-1", 12)]);
    assert.equal(after.state("group", "new-1")?.group_address, 12);
  });

  test("leaves a group alone that was imported before, whatever its members are now", () => {
    given([...home, created("g1", ["thermostat"]), addressed("g1", 12)])
      .when(importing)
      .then([]);
  });

  test("creates a group without an address when another group has it", () => {
    const other = { ...created("g1", []), name: "Others" };
    const after = given([...home, other, addressed("g1", 12)])
      .when(importing)
      .then([created("new-1", ["lamp", "socket"])]);
    assert.equal(after.state("group", "new-1")?.group_address, undefined);
  });

  test("keeps two groups of one name, because their addresses differ", () => {
    given([...home, created("g1", ["lamp"]), addressed("g1", 11)])
      .when(importing)
      .then([created("new-1", ["lamp", "socket"]), addressed("new-1", 12)]);
  });

  test("keeps each member once, and refuses an unknown one", () => {
    given(home)
      .when({ ...importing, members: ["lamp", "lamp"] })
      .then([created("new-1", ["lamp"]), addressed("new-1", 12)]);
    given(home)
      .when({ ...importing, members: ["lamp", "ghost"] })
      .then({ rejected: "invalid", message: "no device ghost", field: "members" });
  });

  test("takes the highest address, after which the hub gives the lowest free one", () => {
    const after = given(home)
      .when({ ...importing, address: limits.groupAddress })
      .then([created("new-1", ["lamp", "socket"]), addressed("new-1", limits.groupAddress)]);
    assert.equal(after.state("group", "new-1")?.group_address, limits.groupAddress);
    given([...home, all, created("g2", []), addressed("g2", limits.groupAddress)])
      .when({ type: "ADDRESS_GROUP", id: "g1" })
      .then([addressed("g1", 1)]);
  });
});
