import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { generateIssuerKey, signActivationCode } from "@ledge/link";
import { memoryLog } from "@ledge/log";
import { features, limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let serials = 0;

beforeEach(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
});

interface Wanted {
  readonly features?: number[];
  readonly hubId?: string;
  readonly lifetimeMs?: number;
}

function codeFor({
  features: codes = [features.MODBUS],
  hubId = hub.hubId,
  lifetimeMs = 60_000,
}: Wanted = {}) {
  const serial = String(++serials).padStart(16, "0");
  const content = { serial, features: codes, expires: hub.clock.wall() + lifetimeMs };
  return signActivationCode(content, hubId, hub.issuerKey);
}

async function activate(code: string): Promise<Answer> {
  const path = `/hub/activatefeature?code=${encodeURIComponent(code)}`;
  return hub.api("local").send("POST", path, await hub.sign());
}

const enabled = (): unknown => hub.kernel.get("hub", hub.hubId)?.features;

test("enables a code's features once", async () => {
  const code = codeFor();
  assert.equal((await activate(code)).body, true);
  assert.deepEqual(enabled(), [features.MODBUS]);
  const again = await activate(code);
  assert.equal(again.status, 422);
  assert.match(JSON.stringify(again.body), /used already/);
  assert.equal((await activate(codeFor())).status, 200);
});

const refused: readonly (readonly [what: string, code: () => string | Promise<string>, message: RegExp])[] = [
  [
    "that another issuer signed",
    async () => {
      const other = await generateIssuerKey();
      const content = { serial: "00", features: [15], expires: hub.clock.wall() + 1000 };
      return signActivationCode({ ...content, serial: "0".repeat(16) }, hub.hubId, other);
    },
    /is not genuine/,
  ],
  ["for another hub", () => codeFor({ hubId: "other" }), /for another hub/],
  ["that has expired", () => codeFor({ lifetimeMs: 0 }), /has expired/],
  ["that is malformed", () => "MONDAY", /is no activation code/],
  ["with an unknown feature", () => codeFor({ features: [15, 200] }), /unknown feature: 200/],
  [
    "with a feature that the hub does not implement",
    () => codeFor({ features: [15, features.CELLULAR] }),
    /no function for CELLULAR/,
  ],
];
for (const [what, code, message] of refused) {
  test(`refuses a code ${what} and enables nothing`, async () => {
    const { status, body } = await activate(await code());
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), message);
    assert.deepEqual(enabled(), []);
  });
}

test("refuses a code that is too long by its length", async () => {
  assert.match(
    JSON.stringify((await activate("A".repeat(limits.activationCodeChars))).body),
    /no activation/,
  );
  const { status, body } = await activate("A".repeat(limits.activationCodeChars + 1));
  assert.equal(status, 422);
  assert.doesNotMatch(JSON.stringify(body), /no activation/);
});

test("refuses every code on a hub without an issuer", async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { issuerKeys: () => new Map() } });
  assert.match(JSON.stringify((await activate(codeFor())).body), /is not genuine/);
});
