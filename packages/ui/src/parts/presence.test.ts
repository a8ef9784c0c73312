import assert from "node:assert/strict";
import { test } from "node:test";
import { namesAtHome } from "./presence.ts";

const nameOf = (user: string): string => ({ u1: "Bo", u2: "Ann" })[user] ?? "";
const device = (user: string, reachable: boolean) => ({ name: `App ${user}`, state: { user, reachable } });

test("names who is at home by some device, each once, by name", () => {
  const devices = [device("u1", true), device("u2", true), device("u1", false), device("u1", true)];
  assert.deepEqual(namesAtHome(devices, nameOf), ["Ann", "Bo"]);
  assert.deepEqual(namesAtHome([device("u1", false)], nameOf), []);
  assert.deepEqual(namesAtHome([], nameOf), []);
});

test("calls a user whose name the page may not know by the device", () => {
  assert.deepEqual(namesAtHome([device("u3", true)], nameOf), ["App u3"]);
});
