import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { isWellFormed } from "@ledge/testkit";
import { HubSessionRequest } from "./hubs.ts";

const request = {
  hubId: "hub",
  publicJwk: { kty: "OKP", crv: "Ed25519", x: "x".repeat(43) },
  version: "1.14.15.1",
  features: [1],
  proof: "a.b.c",
};
const digits = (count: number): string => `1.${"2".repeat(count - 2)}`;

for (const [what, change, expected] of [
  ["no name", {}, true],
  ["a name that is null", { name: null }, true],
  ["the longest name", { name: "n".repeat(limits.nameChars) }, true],
  ["a longer name", { name: "n".repeat(limits.nameChars + 1) }, false],
  ["the most features", { features: Array.from({ length: limits.hubFeatures }, () => 1) }, true],
  ["more features", { features: Array.from({ length: limits.hubFeatures + 1 }, () => 1) }, false],
  ["an invalid feature", { features: [0.5] }, false],
  ["the longest version", { version: digits(limits.versionChars) }, true],
  ["a longer version", { version: digits(limits.versionChars + 1) }, false],
  ["an invalid version", { version: "new" }, false],
  ["the longest proof", { proof: "p".repeat(limits.tokenChars) }, true],
  ["a longer proof", { proof: "p".repeat(limits.tokenChars + 1) }, false],
  ["a key of another kind", { publicJwk: { ...request.publicJwk, crv: "X25519" } }, false],
  ["a key that is too short", { publicJwk: { ...request.publicJwk, x: "x".repeat(42) } }, false],
  ["no generation or instance", { generation: undefined, instance: undefined }, true],
  ["the newest generation", { generation: Number.MAX_SAFE_INTEGER }, true],
  ["a newer generation", { generation: Number.MAX_SAFE_INTEGER + 1 }, false],
  ["a generation below 0", { generation: -1 }, false],
  ["the longest instance", { instance: "i".repeat(limits.instanceChars) }, true],
  ["a longer instance", { instance: "i".repeat(limits.instanceChars + 1) }, false],
  ["no id", { hubId: "" }, false],
  ["an id that is too long", { hubId: "h".repeat(limits.idChars + 1) }, false],
] as const) {
  test(`a hub's request with ${what} is ${expected ? "accepted" : "refused"}`, () => {
    assert.equal(isWellFormed(HubSessionRequest, { ...request, ...change }), expected);
  });
}
