// Tests that need the hub in this process, because its clock is wrong or its address changes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { afterEach, test } from "node:test";
import { limits } from "@ledge/model";
import type { CloudProcess, FullClient } from "@ledge/testkit/client";
import { CloudHome } from "../testdata/cloud-home.ts";
import { Door } from "../testdata/door.ts";
import { eventually } from "../testdata/hub-process.ts";
import { OpenHub } from "../testdata/open-hub.ts";

afterEach(() => CloudHome.end());
const email = "ada@example.org";
const dayMs = 86_400_000;

async function open(home: CloudHome, cloud: { readonly url: string }, wrongBy = 0): Promise<OpenHub> {
  const { folder, profile } = home;
  const hub = await OpenHub.open({ folder, profile, cloud: cloud.url, wrongBy });
  CloudHome.atEnd(() => hub.close());
  return hub;
}

async function owned(home: CloudHome, cloud: CloudProcess, hub: OpenHub): Promise<FullClient> {
  const claimed = await hub.call("POST", `/hub/claim?email=${email}`, "");
  assert.deepEqual(claimed, { status: 200, json: true });
  const client = await home.client(cloud, email);
  await eventually("the hub by the relay", () =>
    client.bootstrap().then(
      () => true,
      () => undefined,
    ),
  );
  return client;
}

for (const days of [-365, 365]) {
  test(`a hub with a clock wrong by ${days} days still gets its session, tunnel and list of users`, async () => {
    const home = new CloudHome();
    const cloud = await home.cloud();
    const hub = await open(home, cloud, days * dayMs);
    const client = await owned(home, cloud, hub);
    const { hubId } = hub.hub;
    const post = async (path: string, { token }: FullClient, body: object): Promise<number> => {
      const headers = { authorization: token };
      const sent = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(`${cloud.url}/ui/0.2/user/${path}`, sent)).status;
    };
    assert.equal(await post("invite", client, { hubId, email: "bob@example.org", role: 8 }), 200);
    assert.equal(await post("invitation", await home.client(cloud, "bob@example.org"), { hubId }), 200);
    await eventually("the list with Bob in it", async () =>
      [...hub.hub.kernel.all("user")].find(([, { user_info }]) => user_info.user.email === "bob@example.org"),
    );
    assert.equal(client.meta?.connected, true);
  });
}

test("an expired key no longer opens the hub", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const first = await open(home, cloud);
  const { key } = await owned(home, cloud, first);
  assert.equal((await first.call("GET", "/devices", key)).status, 200);
  await first.close();
  const later = await open(home, cloud, limits.hubKeyMs);
  const { status, json } = await later.call("GET", "/devices", key);
  assert.deepEqual([status, json], [401, { message: "the HubKey has expired" }]);
});

test("a rogue cloud that forwards everything to the real one cannot claim the hub", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const rogue = await Door.open(cloud.port);
  CloudHome.atEnd(() => rogue.close());
  const hub = await open(home, { url: `http://127.0.0.1:${rogue.port}` });
  const { status, json } = await hub.call("POST", `/hub/claim?email=${email}`, "");
  assert.equal(status, 503);
  assert.match((json as { message: string }).message, /has dialled an address that is not this cloud's/);
  assert.deepEqual(await (await fetch(`${cloud.url}/ui/0.2/hub/lan_ip`)).json(), [], "no hub has a session");
});

test("the cloud lists a hub that reconnects from another address at the new one", async () => {
  const home = new CloudHome();
  const door = await Door.open(0);
  CloudHome.atEnd(() => door.close());
  const config = `${home.folder}/cloud.json`;
  writeFileSync(config, JSON.stringify({ issuer: "home", aliases: [`http://127.0.0.1:${door.port}`] }));
  const cloud = await home.cloud(0, "--config", config);
  door.to = cloud.port;
  const hub = await open(home, { url: `http://127.0.0.1:${door.port}` });
  await owned(home, cloud, hub);
  const found = async (): Promise<unknown> => (await fetch(`${cloud.url}/ui/0.2/hub/lan_ip`)).json();
  assert.deepEqual(await found(), ["127.0.0.1"]);
  await door.close();
  await hub.moveTo("127.0.0.9");
  await door.open();
  await eventually("the new address", async () =>
    JSON.stringify(await found()) === '["127.0.0.9"]' ? true : undefined,
  );
});
