import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { DryRun, RuleLog } from "@ledge/api";
import { limits, roles, type RuleDiagram, type RuleTemplate } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { eventually, HubProcess, ledge, temporaryFolder, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();
const files = temporaryFolder();
after(() => files.remove());

const example = readFileSync(
  new URL("../../../../docs/custom-rules/afterglow.json", import.meta.url),
  "utf8",
);
/** A source whose tabs, letters and escape for half a letter must all survive. */
const odd = `\r\n\t${example.replace('"Afterglow"', String.raw`"Nachglühen  🪔 \ud83e"`)} \n\n`;
const path = "/rules/template";
const one = `${path}?type=CUSTOM_AFTERGLOW`;

async function send(body: string | Uint8Array, to = path): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${home.hub.address}/cc/1.14${to}`, {
    method: "POST",
    headers: { authorization: home.key },
    body,
  });
  return { status: response.status, json: await response.json() };
}

async function bytesOf(where: string): Promise<Buffer> {
  const response = await fetch(`${home.hub.address}/cc/1.14${where}`, {
    headers: { authorization: home.key },
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

interface Wrong {
  readonly message: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

let rule = "";

test("an installed source comes back byte for byte", async () => {
  await home.hub.homeAnnounced(home.key);
  const { status, json } = await send(odd);
  assert.equal(status, 200, JSON.stringify(json));
  const { dryRun, ...shown } = json as { dryRun: DryRun };
  const { installedAt, ...info } = shown as { installedAt?: number };
  assert.ok(Number(installedAt) > 0);
  assert.ok(dryRun.from < dryRun.to);
  assert.deepEqual([dryRun.faults, dryRun.stopped, dryRun.isWhole], [[], [], true]);
  assert.deepEqual(info, {
    type: "CUSTOM_RULE_INFO",
    configType: "CUSTOM_AFTERGLOW",
    name: "Nachglühen  🪔 \ud83e",
    version: 1,
    hash: createHash("sha256").update(odd).digest("hex"),
    bytes: Buffer.byteLength(odd),
    rules: [],
  });
  assert.deepEqual(await bytesOf(one), Buffer.from(odd));
  assert.deepEqual((await home.call("GET", path)).json, [shown]);
  assert.equal((await home.call("GET", `${path}?type=CUSTOM_NONE`)).status, 404);
});

test("its template is offered, and a rule made of it can be turned on and acts", async () => {
  const templates = await home.all<RuleTemplate>("/rules/templates");
  assert.equal(templates.find(({ category }) => category === "CUSTOM_RULE")?.configType, "CUSTOM_AFTERGLOW");
  const lead = await home.device("Floor lamp");
  const lamp = await home.device("Hallway ceiling");
  const config = {
    type: "CONFIG",
    id: null,
    name: "Glow",
    configType: "CUSTOM_AFTERGLOW",
    inputs: { lead: [lead.id] },
    outputs: { lamps: [lamp.id] },
    extras: { linger: [{ type: "TIME_DELTA_MS", value: 500 }] },
  };
  const made = await home.call("PUT", "/rules", { rules: [config], onConfiguration: {} });
  assert.equal(made.status, 200, JSON.stringify(made.json));
  rule = (made.json as [{ id: string }])[0].id;
  await home.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id: rule }]);
  await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id: lead.id }]);
  await home.device("Hallway ceiling", ({ state }) => state["isOn"] === true);
  assert.match((await bytesOf(`/rules/diagram?ruleId=${rule}`)).toString(), /class on__lit current/);
  await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id: lead.id }]);
  await home.device("Hallway ceiling", ({ state }) => state["isOn"] === false);
});

test("its log lists what happened, newest first, page by page", async () => {
  const read = async (query = ""): Promise<RuleLog> => {
    const { status, json } = await home.call("GET", `/rules/log${query}`);
    assert.equal(status, 200, JSON.stringify(json));
    return json as RuleLog;
  };
  const all = await eventually("the end", async () => {
    const log = await read(`?ruleId=${rule}`);
    return log.entries.some(({ event }) => event === "RuleSaid") ? log : undefined;
  });
  assert.deepEqual(await read(), all, "of all custom rules it is the only one");
  assert.equal(all.before, null);
  const events = all.entries.map(({ event }) => event);
  assert.equal(events.at(-1), "RuleTurnedOn");
  assert.equal(all.entries.find(({ event }) => event === "RuleSaid")?.text, "dark again, 1 times so far");
  assert.deepEqual(
    all.entries
      .filter(({ event }) => event === "RuleStepped")
      .map(({ state }) => (state as { on: string }).on),
    ["dark", "glowing", "lit", "dark"],
  );
  const paged: unknown[] = [];
  let { entries, before } = await read(`?ruleId=${rule}&limit=1`);
  paged.push(...entries);
  while (before !== null) {
    ({ entries, before } = await read(`?ruleId=${rule}&limit=1&before=${before}`));
    paged.push(...entries);
  }
  assert.deepEqual(paged, all.entries);
  assert.equal((await home.call("GET", "/rules/log?ruleId=nobody")).status, 404);
  assert.equal((await home.call("GET", "/rules/log?limit=0")).status, 422);
  assert.equal((await home.call("GET", `/rules/log?limit=${limits.ruleLogEntries + 1}`)).status, 422);
});

test("refuses a version with which the home's own rule would have failed", async () => {
  const endless = JSON.parse(example) as { machine: { states: Record<string, object> }; tests: unknown };
  const guard = { type: "expr", params: { expr: { any: "lead" } } };
  endless.machine.states["lit"] = { always: { guard, target: "dark" } };
  const { status, json } = await send(JSON.stringify({ ...endless, tests: [] }));
  assert.equal(status, 422, JSON.stringify(json));
  assert.match(
    (json as Wrong).message,
    new RegExp(`the rule Glow \\(${rule}\\) would have failed: .*loop`, "i"),
  );
  assert.equal(((await home.call("GET", path)).json as [{ version: number }])[0].version, 1);
});

test("another version reports its dry run and counts up the version", async () => {
  const { status, json } = await send(odd.replace('"maxValue": 3600000', '"maxValue": 7200000'));
  assert.equal(status, 200, JSON.stringify(json));
  const { version, dryRun, rules } = json as { version: number; dryRun: DryRun; rules: string[] };
  assert.deepEqual([version, rules], [2, [rule]]);
  assert.ok(dryRun.firings >= 2 && dryRun.commandCount >= 2, JSON.stringify(dryRun));
  assert.equal((await send(odd)).status, 200);
});

test("draws the machines of templates and of sources, as text and as JSON", async () => {
  assert.match((await bytesOf("/rules/diagram?type=MOTION_LIGHT")).toString(), /^stateDiagram-v2\n/);
  for (const [query, status] of [
    ["", 422],
    [`?type=MOTION_LIGHT&ruleId=${rule}`, 422],
    ["?type=NOTHING", 404],
    ["?ruleId=nobody", 404],
  ] as const)
    assert.equal((await home.call("GET", `/rules/diagram${query}`)).status, status, query);
  const shown = await home.call("GET", `/rules/diagram?ruleId=${rule}&format=json`);
  const { configType, states } = shown.json as RuleDiagram;
  assert.equal(configType, "CUSTOM_AFTERGLOW");
  assert.equal(states.filter(({ current }) => current).length, 1, JSON.stringify(states));
  const draft = example.replace("CUSTOM_AFTERGLOW", "CUSTOM_DRAFT");
  const drawn = await send(draft, "/rules/diagram?format=json");
  assert.equal(drawn.status, 200, JSON.stringify(drawn.json));
  assert.equal((drawn.json as RuleDiagram).configType, "CUSTOM_DRAFT");
  const wrong = await send(draft.replace('"initial": "dark"', '"initial": "none"'), "/rules/diagram");
  assert.equal(wrong.status, 422);
  assert.match((wrong.json as Wrong).message, /\(line \d+\)/);
  assert.equal((await home.call("GET", "/rules/template?type=CUSTOM_DRAFT")).status, 404);
});

test("refuses an invalid source, names the place of the fault, and changes nothing", async () => {
  const refused = async (body: string | Uint8Array): Promise<Wrong> => {
    const { status, json } = await send(body);
    assert.equal(status, 422, JSON.stringify(json));
    return json as Wrong;
  };
  const told = async (from: string | RegExp, to: string): Promise<string> => {
    const { errors: [first] = [] } = await refused(example.replace(from, to));
    return `${first?.field}: ${first?.message}`;
  };
  assert.match(
    await told('"initial": "dark",', '"initial": "dark", "invoke": {},'),
    /^machine.invoke: .*\(line 31\)/,
  );
  assert.match(
    await told('"any": "lead"', '"var": "constructor"'),
    /^machine.states.dark.always.guard.params.expr.var: /,
  );
  assert.match(await told('"id": "afterglow"', '"__proto__": {}'), /a key cannot be __proto__/);
  assert.match(
    await told('"pass": 1,', '"pass": 2, "ctx": {"times": 9},'),
    /^tests.0.steps.2.ctx.times: it is 1, not 9/,
  );
  assert.match((await refused("")).message, /JSON/);
  assert.match((await refused(Buffer.from([0x7b, 0xff]))).message, /UTF-8/);
  assert.match((await refused(" ".repeat(limits.customRuleBytes + 1))).message, /at most 65536 bytes/);
  assert.equal((await send(" ".repeat(limits.bodyBytes + 1))).status, 413);
  assert.deepEqual(await bytesOf(one), Buffer.from(odd));
});

test("stays while rules use it, and survives a kill, a backup and a restore", async () => {
  const { status, json } = await home.call("DELETE", one);
  assert.equal(status, 422);
  assert.match((json as Wrong).message, new RegExp(`Glow \\(${rule}\\)`));
  await home.hub.kill();
  await home.start();
  assert.deepEqual(await bytesOf(one), Buffer.from(odd));
  const [backup, secret] = [join(files.path, "hub.ledge"), join(files.path, "passphrase")];
  writeFileSync(secret, "a passphrase of some length", { mode: 0o600 });
  const made = await ledge("backup", backup, "--passphrase-file", secret, "--data", home.folder);
  assert.equal(made.code, 0, made.stderr);
  await home.call("DELETE", `/rules?ruleId=${rule}`);
  assert.equal((await home.call("DELETE", one)).json, true);
  assert.equal((await home.call("DELETE", one)).status, 404);
  assert.equal((await home.call("GET", one)).status, 404);
  const fresh = join(files.path, "restored");
  const restored = await ledge("restore", backup, "--passphrase-file", secret, "--data", fresh);
  assert.equal(restored.code, 0, restored.stderr);
  const again = await HubProcess.start(fresh);
  const response = await fetch(`${again.address}/cc/1.14${one}`, { headers: { authorization: home.key } });
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(odd));
  await again.stop();
});

test("only administrators may use it, and only on a hub with the feature", async () => {
  const cloud = await SimulatedCloud.open();
  const folder = temporaryFolder();
  const profile = join(files.path, "plain.json");
  const sim = JSON.parse(
    readFileSync(new URL("../../../../firmware-profiles/sim.json", import.meta.url), "utf8"),
  ) as object;
  writeFileSync(
    profile,
    JSON.stringify({ ...sim, adapters: {}, features: ["REMOTE_USAGE", "SERVER_CONNECTION"] }),
  );
  const plain = await HubProcess.startAt(cloud, folder.path, "--profile", profile);
  try {
    const owner = await plain.key();
    for (const [method, of] of [
      ["GET", path],
      ["POST", path],
      ["DELETE", one],
      ["GET", "/rules/log"],
      ["POST", "/rules/diagram"],
    ] as const) {
      const { status, json } = await plain.call(method, of, owner, method === "POST" ? {} : undefined);
      assert.equal(status, 403, `${method} ${of}`);
      assert.match((json as Wrong).message, /CUSTOM_RULES/);
      const user = await plain.key("user@localhost", roles.IDENTIFIED_USER);
      const refused = await plain.call(method, of, user, method === "POST" ? {} : undefined);
      assert.equal(refused.status, 403);
      assert.match((refused.json as Wrong).message, /role/);
    }
  } finally {
    await plain.stop();
    folder.remove();
    await cloud.close();
  }
});
