import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { features } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
after(() => folder.remove());

test("a hub is claimed over HTTP and gets its owner's key and activation codes from its cloud", async () => {
  const home = join(folder.path, "home");
  const data = ["--data", home];
  const cloud = await SimulatedCloud.open();
  after(() => cloud.close());
  const hub = await HubProcess.startAt(cloud, home, "--profile", bareProfile(folder.path));
  assert.equal((await ledge("claim", "open", ...data)).code, 0);
  const claim = (email: string): Promise<Response> =>
    fetch(`${hub.address}/cc/1.14/hub/claim?email=${email}`, { method: "POST" });
  assert.equal((await claim("ann@example.org")).status, 200);
  assert.equal((await claim("bob@example.org")).status, 422);
  const { json } = await hub.call("GET", "/hub/users", await hub.key());
  const users = Object.values(
    json as Record<string, { user_info: { user: { email: string }; role: number } }>,
  );
  assert.deepEqual(
    users.map(({ user_info }) => [user_info.user.email, user_info.role]),
    [["ann@example.org", 64]],
  );
  const claimed = await ledge("claim", "open", ...data);
  assert.deepEqual([claimed.code, claimed.stderr], [3, "ledge: this hub is claimed already\n"]);
  await assertActivates(hub);
  await hub.stop();
  assert.equal((await ledge("claim", "open", ...data)).code, 4);
});

async function assertActivates(hub: HubProcess): Promise<void> {
  const code = hub.cloud?.activationCode(await hub.hubId(), [features.MODBUS]) ?? "";
  const key = await hub.key();
  const activate = (): Promise<{ status: number }> =>
    hub.call("POST", `/hub/activatefeature?code=${code}`, key);
  assert.equal((await activate()).status, 200);
  assert.equal((await activate()).status, 422);
  assert.deepEqual((await hub.call("GET", "/hub/features", key)).json, [2, 3, 5, 9, 11, 15]);
}
