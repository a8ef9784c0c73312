import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dialTunnel } from "@ledge/link/tunnel";
import { features } from "@ledge/model";
import { temporaryFolder, until } from "@ledge/testkit";
import { TestTunnel } from "../relay/test-relay.ts";
import { TestHub } from "../testdata/open-cloud.ts";
import { CloudProcess } from "../testdata/cloud-process.ts";

const folder = temporaryFolder();
const scrapeToken = "a token for the scraper";
let cloud: CloudProcess;

before(async () => {
  const config = join(folder.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ metrics: { token: scrapeToken } }), { mode: 0o600 });
  cloud = await CloudProcess.start(join(folder.path, "data"), "--config", config, "--log", "info");
});
after(async () => {
  await cloud.kill();
  folder.remove();
});

/** Returns the value of a metric. */
function figure(text: string, name: string): number {
  const line =
    text.split("\n").find((one) => one.startsWith(`${name} `)) ?? assert.fail(`${name} in ${text}`);
  return Number(line.slice(name.length + 1));
}

const email = "owner@example.org";

test("counts and logs requests, mails, logins and relayed bytes without personal data", async () => {
  const hub = await TestHub.make();
  const hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  await cloud.call("POST", "/hub/claim", hubToken, { email });
  const token = await cloud.logIn(email);
  const wrong = { email, password: "WRONG2" };
  assert.equal((await cloud.call("POST", "/ui/0.2/user/emaillogin", undefined, wrong)).status, 401);
  const hubKey = (await cloud.hubKeys(token))[hub.id] ?? assert.fail("no key");
  const signal = AbortSignal.timeout(30_000);
  const duplex = await dialTunnel({ url: cloud.address, token: hubToken, transport: "upgrade", signal });
  const tunnel = new TestTunnel(duplex, (stream) => {
    stream.resume();
    stream.once("end", () => {
      stream.respond({ ":status": 200 });
      stream.end("12345");
    });
  });
  await tunnel.opened;
  const headers = { authorization: token, "x-hub-key": hubKey };
  const body = "123";
  const path = `/ui/0.2/hub/${hub.id}/remote/cc/1.14/devices/command?secret=query`;
  assert.equal(await (await fetch(cloud.address + path, { method: "PUT", headers, body })).text(), "12345");
  assert.equal((await cloud.call("GET", "/ui/0.2/user/invite/accept?code=canary-code")).status, 200);
  assert.equal((await cloud.call("GET", "/nothing/canary-path")).status, 404);

  const ask = async (query: unknown): Promise<number> =>
    (await cloud.call("POST", "/graph/query", token, { query })).status;
  for (const type of ["ListHubsQuery", "ListHubsQuery", "CanaryQuery", "ListHubsCommand"])
    assert.equal(await ask({ type }), 200);
  assert.equal(await ask({ type: "GetHubQuery", hubId: "canary" }), 200);
  assert.equal(await ask("canary"), 422);

  const counted = await cloud.metrics();
  for (const [name, value] of [
    ["ledge_serving", 1],
    ["ledge_cloud_accounts", 1],
    ["ledge_cloud_sessions", 1],
    ["ledge_cloud_hubs", 1],
    ["ledge_cloud_tunnels", 1],
    ["ledge_cloud_relayed_requests_total", 1],
    ['ledge_cloud_relayed_bytes_total{to="hub"}', 3],
    ['ledge_cloud_relayed_bytes_total{to="client"}', 5],
    ["ledge_cloud_logins_requested_total", 1],
    ['ledge_cloud_logins_total{outcome="accepted"}', 1],
    ['ledge_cloud_logins_total{outcome="refused"}', 1],
    ['ledge_cloud_mails_total{outcome="sent"}', 2],
    ['ledge_cloud_mails_total{outcome="failed"}', 0],
    ['ledge_http_requests_total{row="POST /user/emaillogin",status="401"}', 1],
    ['ledge_http_requests_total{row="relay",status="200"}', 1],
    ['ledge_graph_messages_total{type="ListHubsQuery",result="ok"}', 2],
    ['ledge_graph_messages_total{type="GetHubQuery",result="E_NOT_FOUND"}', 1],
    ['ledge_graph_messages_total{type="unknown",result="E_UNKNOWN_TYPE"}', 2],
    ['ledge_graph_messages_total{type="unknown",result="422"}', 1],
    ['ledge_graph_message_duration_seconds_count{type="ListHubsQuery"}', 2],
    ['ledge_http_requests_total{row="other",status="404"}', 1],
  ] as const)
    assert.equal(figure(counted, name), value, name);
  for (const personal of [hub.id, email, "canary", "Canary", "secret"])
    assert.ok(!counted.includes(personal), personal);

  const { code, stderr } = await cloud.stop();
  assert.equal(code, 0);
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = lines.filter(({ msg }) => msg === "a request");
  const said = requests.map(
    ({ method, route, status }) => `${String(method)} ${String(route)} ${String(status)}`,
  );
  assert.ok(said.includes("PUT relay 200"), said.join("\n"));
  assert.ok(said.includes("POST /user/emaillogin 401"), said.join("\n"));
  assert.ok(requests.every(({ ms }) => Number.isInteger(ms)));
  for (const secret of [email, "WRONG2", token, hubKey, hubToken, hub.id, "canary", "secret=", scrapeToken])
    assert.ok(!stderr.includes(secret), secret);
  cloud = await CloudProcess.start(cloud.folder, "--config", join(folder.path, "cloud.json"));
});

test("counts a fetch of pushes that waits once it ends, with the time that it took", async () => {
  const token = await cloud.logIn(email);
  const row = (name: string, labels = ""): string => `${name}{row="POST /push"${labels}}`;
  const fetched = cloud.call("POST", "/graph/push", token, { sessionId: "waits", wait: 1 });
  const held = await until("the fetch", async () => {
    const text = await cloud.metrics();
    return figure(text, "ledge_push_readers") === 1 && text;
  });
  assert.ok(!held.includes(row("ledge_http_requests_total", ',status="200"')));
  await (await fetched).text();
  const ended = await until("its end", async () => {
    const text = await cloud.metrics();
    return text.includes(row("ledge_http_request_duration_seconds_sum")) && text;
  });
  assert.equal(figure(ended, row("ledge_http_requests_total", ',status="200"')), 1);
  assert.ok(figure(ended, row("ledge_http_request_duration_seconds_sum")) >= 0.9);
});

test("serves metrics over the network only with the token, and never without one configured", async () => {
  const status = async (at: CloudProcess, token?: string): Promise<number> =>
    (await at.call("GET", "/metrics", token)).status;
  assert.equal(await status(cloud), 401);
  assert.equal(await status(cloud, "Bearer another token for it"), 401);
  assert.equal(await status(cloud, `Bearer ${scrapeToken}`), 200);
  const bare = await CloudProcess.start(join(folder.path, "bare"));
  try {
    assert.equal(await status(bare, scrapeToken), 404);
  } finally {
    await bare.kill();
  }
});
