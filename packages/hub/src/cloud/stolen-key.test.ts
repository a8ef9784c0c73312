import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { roles } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const root = temporaryFolder();
after(() => root.remove());

const status = async (hub: HubProcess, key: string): Promise<number> =>
  (await hub.call("GET", "/hub/tz", key)).status;

/** Ways to end a user's access before the user is invited again. */
const endings: Readonly<Record<string, (home: Home) => Promise<unknown>>> = {
  "the cloud revoked": ({ cloud, hubId, others }) => cloud.setUsers(hubId, others),
  "the owner revoked at the hub": async ({ hub, owner, bob, cloud, hubId, others }) => {
    const revoked = [{ type: "CMD_USER", id: bob, revoked: true }];
    assert.equal((await hub.call("PUT", "/hub/users", owner, revoked)).status, 200);
    await cloud.setUsers(hubId, others);
  },
  "the hub forgot": async ({ hub, owner, bob, cloud, hubId, others }) => {
    assert.equal((await hub.call("DELETE", `/hub/users?userId=${bob}`, owner)).status, 200);
    await cloud.setUsers(hubId, others);
  },
};

interface Home {
  readonly cloud: SimulatedCloud;
  readonly hub: HubProcess;
  readonly hubId: string;
  readonly owner: string;
  readonly bob: string;
  readonly others: Parameters<SimulatedCloud["setUsers"]>[1];
}

for (const [name, end] of Object.entries(endings)) {
  test(`a stolen HubKey of a user whom ${name} stays invalid when they are invited again`, async (context) => {
    const cloud = await SimulatedCloud.open();
    context.after(() => cloud.close());
    const folder = join(root.path, name.replaceAll(" ", "-"));
    const profile = bareProfile(root.path);
    const hub = await HubProcess.startAt(cloud, folder, "--profile", profile);
    context.after(() => hub.kill());
    const owner = await hub.key();
    const stolen = await hub.key("bob@example.org");
    const payload = Buffer.from(owner.split(".")[1] ?? "", "base64url").toString();
    const { hub_id: hubId } = JSON.parse(payload) as { hub_id: string };
    const users = cloud.usersOf(hubId);
    const bob = users.find(({ role }) => role !== roles.OWNER_ADMIN) ?? assert.fail("no Bob");
    const others = users.filter((user) => user !== bob);
    assert.equal(await status(hub, stolen), 200);
    await end({ cloud, hub, hubId, owner, bob: bob.user_id, others });
    assert.equal(await status(hub, stolen), 401);
    await cloud.setUsers(hubId, [...others, { ...bob, granted: bob.granted + 2 }]);
    const renewed = await cloud.keyOf(hubId, bob.email);
    assert.deepEqual([await status(hub, stolen), await status(hub, renewed)], [401, 200]);
    await hub.kill();
    const again = await HubProcess.startAt(cloud, folder, "--profile", profile);
    context.after(() => again.kill());
    assert.deepEqual([await status(again, stolen), await status(again, renewed)], [401, 200]);
    assert.equal(await status(again, owner), 200);
  });
}
