// A cloud process that is killed between any two steps of a flow has lost nothing, and its log holds no token.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { CloudProcess } from "../testdata/cloud-process.ts";
import type { MadeClient } from "./clients.ts";
import { Browser } from "./test-browser.ts";
import { ask, codeForm, startOf } from "./test-flow.ts";

const root = temporaryFolder();
const folder = join(root.path, "cloud");
const scope = "openid offline_access platform.read";
const email = "ada@example.org";
let cloud: CloudProcess;
let client: MadeClient;
before(async () => {
  cloud = await CloudProcess.start(folder);
  client = await made();
});
after(async () => {
  await cloud.kill();
  root.remove();
});

async function made(): Promise<MadeClient> {
  const token = await cloud.logIn(email);
  const me = (await (await cloud.call("GET", "/ui/0.2/user", token)).json()) as { uid: string };
  const command = {
    type: "CreateClientCommand",
    tenantId: me.uid,
    name: "Sauna",
    scopes: scope.split(" "),
    redirectUris: ["https://app.example/callback"],
  };
  const reply = await cloud.call("PUT", "/graph/command", token, { command });
  const { result } = (await reply.json()) as { result: { clientId: string; clientSecret: string } };
  return { clientId: result.clientId, clientSecret: result.clientSecret };
}

/** Kills the process, and starts it again on the same port: a browser and a client go on there. */
async function killed(): Promise<void> {
  await cloud.kill();
  const { port } = new URL(cloud.address);
  cloud = await CloudProcess.start(folder, "--port", port);
}

test("a flow goes on after each kill, and the log holds no code, token or secret", async () => {
  const browser = new Browser(cloud.address);
  const first = await browser.open(startOf(cloud.address, client.clientId, scope));
  assert.equal(first.status, 200, first.html);
  await killed();
  assert.equal((await browser.submit(first.url, { step: "email", email })).status, 200);
  const password = /password: (\w+)/.exec(cloud.newestMail())?.[1] ?? assert.fail();
  const asked = await browser.submit(first.url, { step: "password", email, password });
  assert.equal(asked.status, 200, asked.html);
  await killed();
  const { location } = await browser.submit(asked.url, { step: "consent" });
  const url = new URL(location ?? assert.fail());
  const form = codeForm(url);
  await killed();
  const tokens = await ask(cloud.address, client, form);
  assert.equal(tokens.status, 200, tokens.error);
  await killed();
  const { access_token, refresh_token = "" } = tokens;
  const query = { query: { type: "ListTenantQuery" } };
  assert.equal((await cloud.call("POST", "/graph/query", `Bearer ${access_token}`, query)).status, 200);
  const refresh = { grant_type: "refresh_token", refresh_token };
  const renewed = await ask(cloud.address, client, refresh);
  assert.equal(renewed.status, 200, renewed.error);
  await killed();
  // That a code and a token are used up is not forgotten, either.
  for (const again of [form, refresh]) assert.equal((await ask(cloud.address, client, again)).status, 400);
  const secrets = [
    client.clientSecret ?? "",
    form["code"] ?? "",
    refresh_token,
    renewed.refresh_token ?? "",
    access_token,
    password,
  ];
  const { stdout, stderr } = await cloud.stop();
  const log = join(folder, "log");
  for (const secret of secrets) {
    assert.ok(secret.length > 5 && !(stdout + stderr).includes(secret));
    for (const name of readdirSync(log)) assert.ok(!readFileSync(join(log, name)).includes(secret), name);
  }
});
