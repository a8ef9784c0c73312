import assert from "node:assert/strict";
import { test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { limits } from "./limits.ts";

const ann = {
  type: "UserAdded",
  id: "ann",
  email: "ann@example.org",
  nickname: "Ann",
  phone: null,
  role: 8,
};
const hub = { type: "HubCreated", id: "h", name: "Cabin", timezone: "UTC" };
const values = '{"favourites":["lamp"]}';
const set = { type: "SET_PREFERENCES", id: "ann", values };
const kept = { type: "PreferencesSet", id: "ann", values };

test("SET_PREFERENCES keeps what a client gives for a user, and nothing twice", () => {
  const after = given([ann]).when(set).then([kept]);
  assert.deepEqual(after.state("preferences", "ann"), { id: "ann", values, timestamp: testNow });
  given([ann, kept]).when(set).then([]);
});

test("SET_PREFERENCES is refused for nobody, and for somebody who is shut out", () => {
  const refused = { rejected: "not-found", message: "no user ann" } as const;
  given().when(set).then(refused);
  given([ann, { type: "UserRevoked", id: "ann" }])
    .when(set)
    .then(refused);
});

test("preferences have a limit", () => {
  const message = `at most ${limits.preferencesBytes} bytes of JSON`;
  const refused = { rejected: "invalid", message, field: "values" } as const;
  const most = "x".repeat(limits.preferencesBytes);
  for (const [command, before] of [
    [{ ...set, type: "SET_PREFERENCES" }, ann],
    [{ ...set, type: "SET_HOME_PREFERENCES", id: "h" }, hub],
  ] as const) {
    const event = command.id === "h" ? "HomePreferencesSet" : "PreferencesSet";
    given([before])
      .when({ ...command, values: most })
      .then([{ type: event, id: command.id, values: most }]);
    given([before])
      .when({ ...command, values: `${most}x` })
      .then(refused);
  }
});

test("a forgotten user leaves no preferences", () => {
  const forget = { type: "FORGET_USER", id: "ann" };
  const after = given([ann, kept])
    .when(forget)
    .then([
      { type: "UserRevoked", id: "ann" },
      { type: "UserForgotten", id: "ann" },
      { type: "PreferencesRemoved", id: "ann" },
    ]);
  assert.equal(after.state("preferences", "ann"), undefined);
});

test("the home keeps preferences of its own", () => {
  const home = { type: "SET_HOME_PREFERENCES", id: "h", values };
  const event = { type: "HomePreferencesSet", id: "h", values };
  given([hub]).when(home).then([event]);
  given([hub, event]).when(home).then([]);
  given().when(home).then({ rejected: "not-found", message: "no hub h" });
});
