import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { features, limits, reject, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { HubPorts } from "../ports.ts";
import { openTestHub } from "../test-hub.ts";

interface Served {
  readonly config: { readonly inputs: object; readonly outputs: object };
}

test("omits hidden devices from the rules that a guest reads and polls", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock());
  const api = hub.api("local");
  const owner = await hub.sign();
  const [lamp, other] = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
  const wanted = [{ type: "CMD_GROUP", name: "Both", members: [lamp, other] }];
  const [{ id: group }] = (await api.send("PUT", "/groups", owner, wanted)).body as [{ id: string }];
  const [inputs, outputs] = [{ remote: [lamp] }, { lights: [lamp, other], more: [group] }];
  const config = { name: "Rule", configType: "MOTION_LIGHT", inputs, outputs, extras: {} };
  const put = await api.send("PUT", "/rules", owner, { rules: [{ type: "CONFIG", id: null, ...config }] });
  const [{ id }] = put.body as [{ id: string }];
  const { key } = await hub.user(roles.GUEST);
  const fields = (rule: Served | undefined): unknown => rule && [rule.config.inputs, rule.config.outputs];
  const shown = async (to: string): Promise<unknown> =>
    fields(((await api.send("GET", "/rules", to)).body as Record<string, Served>)[id]);
  const polled = async (ts: number): Promise<{ timestamp: number; shown: unknown[] }> => {
    const { body } = await api.send("GET", `/hub/poll?ts=${ts}`, key);
    const { timestamp, polls } = body as {
      timestamp: number;
      polls: Record<string, Record<string, Served>>[];
    };
    return { timestamp, shown: polls.flatMap(({ rules }) => (rules?.[id] ? [fields(rules[id])] : [])) };
  };
  const whole = [inputs, outputs];
  const less = [{ remote: [] }, { lights: [other], more: [group] }];
  const { timestamp, shown: first } = await polled(0);
  assert.deepEqual(first, [whole]);
  await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: false });
  const hidden = await polled(timestamp);
  assert.deepEqual(hidden.shown, [less]);
  assert.deepEqual(await shown(key), less);
  assert.deepEqual(await shown(owner), whole);
  await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: true });
  assert.deepEqual((await polled(hidden.timestamp)).shown, [whole]);
});

test("names the rule in the refusal of a whole rule", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock());
  const extras = { note: [{ type: "NOTE", value: "x".repeat(limits.ruleConfigChars) }] };
  const config = { type: "CONFIG", id: null, name: "Rule", configType: "AUTO_OFF", inputs: {}, outputs: {} };
  const { status, body } = await hub
    .api("local")
    .send("PUT", "/rules", await hub.sign(), { rules: [{ ...config, extras }] });
  const { errors } = body as { errors: { field: string }[] };
  assert.deepEqual([status, errors.map(({ field }) => field)], [422, ["rules.0"]]);
});

test("names the body's field in the refusal of onConfiguration", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock());
  const config = {
    type: "CONFIG",
    id: null,
    name: "Rule",
    configType: "AUTO_OFF",
    inputs: {},
    outputs: {},
    extras: {},
  };
  const key = await hub.sign();
  const fieldOf = async (onConfiguration: object): Promise<unknown> => {
    const { body } = await hub.api("local").send("PUT", "/rules", key, { rules: [config], onConfiguration });
    return (body as { errors: { field: string }[] }).errors[0]?.field;
  };
  assert.equal(await fieldOf({ scenes: ["nowhere"] }), "onConfiguration.scenes");
  const timers = [{ start: "0 7 * * *", stop: "0 99 * * *" }];
  assert.equal(await fieldOf({ timers }), "onConfiguration.timers.0.stop");
});

test("POST /rules/template?dryRun=true tells what would come of a source, and installs nothing", async () => {
  const source = JSON.stringify({ type: "CUSTOM_RULE", configType: "CUSTOM_A" });
  const ports: Partial<HubPorts> = {
    installing: (text) =>
      text === source
        ? { type: "INSTALL_CUSTOM_RULE", id: "CUSTOM_A", source: text, hash: "0" }
        : reject("invalid", "no machine", "machine"),
  };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports });
  await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [features.CUSTOM_RULES] });
  const owner = await hub.sign();
  const send = (query: string, body: string, key = owner) =>
    hub.api("local").raw("POST", `/rules/template${query}`, key, { body });
  const tried = await send("?dryRun=true", source);
  const bytes = source.length;
  assert.deepEqual(tried.body, {
    type: "CUSTOM_RULE_TRIED",
    configType: "CUSTOM_A",
    hash: "0",
    bytes,
    dryRun: null,
  });
  assert.equal(hub.kernel.size("customRule"), 0);
  assert.equal((await send("?dryRun=true", "{}")).status, 422);
  assert.equal((await send("?dryRun=maybe", source)).status, 422);
  const user = await hub.user(roles.IDENTIFIED_USER);
  assert.equal((await send("?dryRun=true", source, user.key)).status, 403);
  assert.equal((await send("?dryRun=false", source)).status, 200);
  assert.equal(hub.kernel.size("customRule"), 1);
});
