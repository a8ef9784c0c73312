import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { type Answer, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

interface Proposed {
  readonly score: number;
  readonly config: { readonly id: null; readonly configType: string; readonly name: string };
  readonly summary: string;
  readonly reasons: readonly string[];
  readonly texts: readonly string[];
}

const propose = (body: object): Promise<Answer> => home.call("POST", "/rules/proposals", body);

test("proposes rules for a device, and says how often they would have acted", async () => {
  await home.hub.homeAnnounced(home.key);
  const lamp = (await home.device("Floor lamp")).id;
  await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id: lamp }]);
  await home.device("Floor lamp", ({ state }) => state["isOn"] === true);
  const devices = [lamp, (await home.device("Living room ceiling")).id];
  const { status, json } = await propose({ devices, room: null, max: 1, configType: "BIND_ON_OFF" });
  assert.equal(status, 200, JSON.stringify(json));
  const [bound] = json as readonly Proposed[];
  assert.ok(bound !== undefined);
  assert.equal(bound.summary, "Devices go on and off with another one");
  assert.deepEqual(bound.reasons.slice(0, 1), ["proposal.chosen"]);
  assert.equal(bound.reasons.at(-1), "proposal.firings");
  assert.match(bound.texts.at(-1) ?? "", /^In the last 1 days it would have acted: \d+ times\.$/);
  const all = (await propose({ devices, max: 50 })).json as readonly Proposed[];
  assert.ok(all.length > 3);
  for (const { config } of all) {
    const put = await home.call("PUT", "/rules", { rules: [config] });
    assert.equal(put.status, 200, JSON.stringify(put.json));
    const [{ id }] = put.json as [{ id: string }];
    await home.call("DELETE", `/rules?ruleId=${id}`);
  }
});

test("refuses unknown devices, rooms and templates and impossible counts", async () => {
  const problem = async (body: object): Promise<readonly unknown[]> => {
    const { status, json } = await propose(body);
    return [status, (json as { errors?: [{ field: string }] }).errors?.[0]?.field];
  };
  assert.deepEqual(await problem({ devices: ["nobody"] }), [404, "devices"]);
  assert.deepEqual(await problem({ room: "nowhere" }), [404, "room"]);
  assert.deepEqual(await problem({ configType: "NOTHING" }), [422, "configType"]);
  assert.deepEqual(await problem({ max: 0 }), [422, "max"]);
  assert.deepEqual(await problem({ max: limits.proposals }), [200, undefined]);
  assert.deepEqual(await problem({ max: limits.proposals + 1 }), [422, "max"]);
  assert.deepEqual((await propose({})).status, 200);
});
