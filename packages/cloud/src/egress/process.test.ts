import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { temporaryFolder, until } from "@ledge/testkit";
import type { DeadLetterOverview, EgressOverview } from "../console/egress.ts";
import { CloudProcess, type Finished, spawned } from "../testdata/cloud-process.ts";
import { answering, TestReceiver } from "./test-receiver.ts";

const root = temporaryFolder();
const folder = join(root.path, "cloud");
const config = join(root.path, "cloud.json");
let cloud: CloudProcess;
let receiver: TestReceiver;
let token: string;
let siteId: string;

before(async () => {
  const egress = { networks: ["127.0.0.0/8"] };
  writeFileSync(config, JSON.stringify({ egress, metrics: { token: "a token for the scraper" } }), {
    mode: 0o600,
  });
  cloud = await start();
  receiver = await TestReceiver.start();
  token = await cloud.logIn("ada@example.org");
  const { data } = (await query("ListSubscriptionQuery")) as { data: { subscriptionId: string }[] };
  const subscriptionId = data[0]?.subscriptionId;
  await command("CreateResourceGroupCommand", { subscriptionId, name: "homes" });
  const site = { subscriptionId, resourceGroupName: "homes", name: "villa", provider: "Vendor.Sites" };
  const { resource } = await command("CreateResourceCommand", site);
  ({ siteId } = (resource as { properties: { siteId: string } }).properties);
});
after(async () => {
  await cloud.kill();
  await receiver.stop();
  root.remove();
});

function start(): Promise<CloudProcess> {
  return CloudProcess.start(folder, "--config", config);
}
function command(type: string, fields: object): Promise<Record<string, unknown>> {
  return ask("PUT", "command", { type, ...fields });
}

function query(type: string): Promise<Record<string, unknown>> {
  return ask("POST", "query", { type });
}

const cli = (...args: string[]): Promise<Finished> => spawned("ledge-cloud", ...args, "--data", folder).ended;

async function ask(method: string, kind: string, message: object): Promise<Record<string, unknown>> {
  const reply = await cloud.call(method, `/graph/${kind}`, token, { [kind]: message });
  const { result } = (await reply.json()) as { result: Record<string, unknown> };
  assert.equal(result["error"], undefined, JSON.stringify(result));
  return result;
}

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await cli(...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

/** Returns the metrics once they have a line. */
async function scrapedWith(line: string): Promise<string> {
  const headers = { authorization: "Bearer a token for the scraper" };
  for (;;) {
    const text = await (await fetch(`${cloud.address}/metrics`, { headers })).text();
    if (text.includes(`\n${line}\n`)) return text;
  }
}

const entity = (name: string): Promise<unknown> =>
  command("CreateEntitySiteCommand", { siteId, entity: { type: "room", name } });

test("no acknowledged event is lost and none overtakes another when the cloud is killed again and again", async () => {
  const target = { $type: "rest", id: "main", url: receiver.url, fetchMaxEvents: 3 };
  const created = await command("CreateEgressTargetSiteCommand", { siteId, target });
  receiver.secrets.push((created["target"] as { secret: string }).secret);
  const acknowledged: string[] = [];
  for (let round = 0; round < 4; round++) {
    const atWork = (async (): Promise<void> => {
      for (let count = 0; count < 12; count++) {
        const name = `r${round}-${count}`;
        await entity(name);
        acknowledged.push(name);
      }
    })().catch(() => {});
    const wanted = receiver.events.length + 2 * round + 1;
    await until("some events", () => receiver.events.length >= wanted);
    await cloud.kill();
    await atWork;
    cloud = await start();
  }
  const paths = (): string[] => receiver.events.map(({ path }) => path);
  await until("the last event", () => paths().includes(acknowledged.at(-1) ?? ""));
  // What comes twice is what was sent when the process died; its first time counts.
  const first = [...new Set(receiver.events.map(({ ref, path }) => `${ref} ${path}`))].map((text) =>
    text.split(" "),
  );
  const seen = first.map(([, path = ""]) => path);
  assert.deepEqual(
    acknowledged.filter((name) => !seen.includes(name)),
    [],
  );
  assert.equal(new Set(seen).size, seen.length, "an event has one ref");
  const times = first.map(([ref = ""]) => Number(ref.split("-")[0]));
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );
  assert.ok(receiver.received.every(({ isSigned }) => isSigned));
});

test("the operator lists targets and dead letters, and replays them, also while the cloud is stopped", async () => {
  // An entity whose answer the last kill has cut off may still be on its way.
  await entity("before");
  await until("the event before", () => receiver.events.at(-1)?.path === "before");
  receiver.answer = answering(400);
  await entity("refused");
  const metrics = await scrapedWith("ledge_egress_dead_letters_total 1");
  const shown = (): Promise<DeadLetterOverview[]> => json("egress", "dead-letters", siteId, "main");
  const [letter] = await shown();
  assert.deepEqual([letter?.events, letter?.reason, letter?.isReplayed], [1, "answered 400", false]);
  const origin = new URL(receiver.url).origin;
  const [listed, ...more] = await json<EgressOverview[]>("egress");
  const { siteId: site, targetId, enabled, disabled, deadLetters } = listed ?? assert.fail();
  assert.deepEqual(
    [site, targetId, listed?.origin, enabled, disabled, deadLetters],
    [siteId, "main", origin, true, null, 1],
  );
  assert.deepEqual([more, await json("egress", siteId), await json("egress", "none")], [[], [listed], []]);
  assert.match((await cli("egress")).stdout, /SITE +TARGET +RECEIVER +STATE +DEAD LETTERS\n.*main/);
  assert.match(
    (await cli("egress", "dead-letters", siteId, "main")).stdout,
    /BATCH .*\nmsg_[0-9a-f]{32} +1 .*answered 400/,
  );
  for (const args of [
    ["dead-letters", "none", "main"],
    ["dead-letters", siteId, "none"],
    ["replay", siteId, "none"],
    ["replay", siteId, "main", "none"],
  ])
    assert.equal((await cli("egress", ...args)).code, 3, args.join(" "));
  for (const line of [
    "ledge_egress_targets 1",
    'ledge_egress_requests_total{outcome="refused"} 3',
    "ledge_egress_dead_letters_total 1",
  ])
    assert.ok(metrics.includes(`\n${line}\n`), line);
  await cloud.stop();
  receiver.answer = answering(200);
  assert.deepEqual(await json("egress", "replay", siteId, "main", letter?.batchId ?? ""), { waiting: 1 });
  cloud = await start();
  await until("the replayed event", () => receiver.events.at(-1)?.path === "refused");
  assert.equal(receiver.received.at(-1)?.body.batchId, letter?.batchId);
  // The event that follows is sent when the dead letter has been dropped.
  await entity("next");
  await until("the next event", () => receiver.events.at(-1)?.path === "next");
  assert.deepEqual(await shown(), []);
  assert.equal((await cli("egress", "replay", siteId, "main")).stdout, "0 wait to be sent\n");
});
