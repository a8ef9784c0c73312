import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given, isWellFormed, testNow } from "@ledge/testkit";
import { limits } from "./limits.ts";
import { CmdRoom, CmdSetRoomOrder } from "./room.ts";

const created = (id: string, name = "Hall", order = 0) => ({ type: "RoomCreated", id, name, order });
const hall = created("r1");
const attic = created("r2", "Attic", 4);
const noRoom = { rejected: "not-found", message: "no room nowhere", field: "id" } as const;

describe("CMD_ROOM", () => {
  for (const id of [null, undefined]) {
    test(`with id ${id} creates a room at the end of the list`, () => {
      const command = { type: "CMD_ROOM", ...(id === null && { id }), name: "Cellar" };
      given([hall, attic])
        .when(command)
        .then([created("new-1", "Cellar", 5)]);
      given()
        .when(command)
        .then([created("new-1", "Cellar", 0)]);
    });
  }

  test("creates a room at the given order", () => {
    given([hall])
      .when({ type: "CMD_ROOM", name: "A", order: 0 })
      .then([created("new-1", "A", 0)]);
    given()
      .when({ type: "CMD_ROOM", name: "A", order: null })
      .then([created("new-1", "A", 0)]);
  });

  test("never gives an order above the limit", () => {
    given([created("r1", "Hall", 1_000_000)])
      .when({ type: "CMD_ROOM", name: "A" })
      .then([created("new-1", "A", 1_000_000)]);
  });

  for (const name of [null, undefined]) {
    test(`refuses to create a room with the name ${name}`, () => {
      const refusal = { rejected: "invalid", message: "a new room needs a name", field: "name" } as const;
      given()
        .when({ type: "CMD_ROOM", ...(name === null && { name }), order: 1 })
        .then(refusal);
    });
  }

  test("creates rooms up to the limit", () => {
    const rooms = (count: number) => Array.from({ length: count }, (_, index) => created(`r${index}`));
    const command = { type: "CMD_ROOM", name: "A", order: 0 };
    given(rooms(limits.rooms - 1))
      .when(command)
      .then([created("new-1", "A", 0)]);
    given(rooms(limits.rooms)).when(command).then({ rejected: "invalid" });
    given(rooms(limits.rooms))
      .when({ ...command, id: "r0" })
      .then([{ type: "RoomRenamed", id: "r0", name: "A" }]);
  });

  test("changes what is given and differs; null and missing fields stay", () => {
    const home = given([attic]);
    const rename = { type: "RoomRenamed", id: "r2", name: "Loft" };
    const order = { type: "RoomOrdered", id: "r2", order: 0 };
    home.when({ type: "CMD_ROOM", id: "r2", name: "Loft", order: 0 }).then([rename, order]);
    home.when({ type: "CMD_ROOM", id: "r2", name: "Loft" }).then([rename]);
    home.when({ type: "CMD_ROOM", id: "r2", name: null, order: 0 }).then([order]);
    home.when({ type: "CMD_ROOM", id: "r2", name: "Attic", order: 4 }).then([]);
    home.when({ type: "CMD_ROOM", id: "r2", name: null, order: null }).then([]);
    home.when({ type: "CMD_ROOM", id: "r2" }).then([]);
  });

  test("refuses an unknown id", () => {
    given([hall]).when({ type: "CMD_ROOM", id: "nowhere", name: "A" }).then(noRoom);
  });
});

test("CMD_SET_ROOM_ORDER sets the order", () => {
  const home = given([attic]);
  home
    .when({ type: "CMD_SET_ROOM_ORDER", id: "r2", order: 9 })
    .then([{ type: "RoomOrdered", id: "r2", order: 9 }]);
  home.when({ type: "CMD_SET_ROOM_ORDER", id: "r2", order: 4 }).then([]);
  home.when({ type: "CMD_SET_ROOM_ORDER", id: "nowhere", order: 4 }).then(noRoom);
});

test("REMOVE_ROOM removes a room once", () => {
  const home = given([hall]);
  const after = home.when({ type: "REMOVE_ROOM", id: "r1" }).then([{ type: "RoomRemoved", id: "r1" }]);
  assert.equal(after.state("room", "r1"), undefined);
  given([hall, { type: "RoomRemoved", id: "r1" }])
    .when({ type: "REMOVE_ROOM", id: "r1" })
    .then({ rejected: "not-found", field: "id" });
});

test("a room is the ROOM of hub-api 2.9, with the timestamp of its last change", () => {
  const home = given([hall]);
  const room = { type: "ROOM", id: "r1", name: "Hall", order: 0, status: { type: "ROOM_STATUS", id: "r1" } };
  assert.partialDeepStrictEqual(home.state("room", "r1"), { ...room, timestamp: 1 });
  const changed = home.when({ type: "CMD_ROOM", id: "r1", name: "Salon", order: 2 }).then([
    { type: "RoomRenamed", id: "r1", name: "Salon" },
    { type: "RoomOrdered", id: "r1", order: 2 },
  ]);
  assert.partialDeepStrictEqual(changed.state("room", "r1"), {
    ...room,
    name: "Salon",
    order: 2,
    timestamp: testNow,
  });
});

test("events of a removed room do not bring it back", () => {
  const home = given([hall, { type: "RoomRemoved", id: "r1" }, { type: "RoomRenamed", id: "r1", name: "A" }]);
  assert.equal(home.state("room", "r1"), undefined);
});

const command = { type: "CMD_ROOM", id: "r1", name: "A", order: 1 };
for (const [what, changes, isValid] of [
  ["all fields", {}, true],
  ["nulls", { id: null, name: null, order: null }, true],
  ["the longest name", { name: "x".repeat(limits.nameChars) }, true],
  ["too long a name", { name: "x".repeat(limits.nameChars + 1) }, false],
  ["an empty name", { name: "" }, false],
  ["a blank name", { name: " \t" }, false],
  ["a name that is a number", { name: 5 }, false],
  ["an empty id", { id: "" }, false],
  ["the longest id", { id: "x".repeat(128) }, true],
  ["too long an id", { id: "x".repeat(129) }, false],
  ["a negative order", { order: -1 }, false],
  ["the highest order", { order: 1_000_000 }, true],
  ["too high an order", { order: 1_000_001 }, false],
  ["half an order", { order: 1.5 }, false],
  ["another type", { type: "CMD_GROUP" }, false],
  ["an unknown field", { colour: "red" }, true],
] as const) {
  test(`a CMD_ROOM with ${what} is ${isValid ? "well formed" : "malformed"}`, () => {
    assert.equal(isWellFormed(CmdRoom, { ...command, ...changes }), isValid);
  });
}

test("a CMD_SET_ROOM_ORDER needs both of its fields", () => {
  const order = { type: "CMD_SET_ROOM_ORDER", id: "r1", order: 0 };
  assert.equal(isWellFormed(CmdSetRoomOrder, order), true);
  assert.equal(isWellFormed(CmdSetRoomOrder, { ...order, order: null }), false);
  assert.equal(isWellFormed(CmdSetRoomOrder, { ...order, id: null }), false);
});
