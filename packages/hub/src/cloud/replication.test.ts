// A home in the cloud: what a hub shares, and who sees it there. Hub and cloud are processes of their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CloudHome } from "../testdata/cloud-home.ts";
import { GraphClient } from "../testdata/graph-client.ts";
import { eventually, type HubProcess } from "../testdata/hub-process.ts";

const email = "ada@example.org";
let hub: HubProcess;
let hubId: string;
let hubKey: string;
let token: string;
let cloudUrl: string;
let ada: GraphClient;

before(async () => {
  const home = new CloudHome({ adapters: { sim: { seed: 1 } } });
  const cloud = await home.cloud();
  cloudUrl = cloud.url;
  hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  const client = await home.client(cloud, email);
  token = client.token;
  ada = await GraphClient.open(cloud.url, token);
  const { data } = await ada.done({ type: "ListHubsQuery" });
  hubId = (data as { hubId: string }[])[0]?.hubId ?? assert.fail();
  hubKey = await hub.key();
});
after(() => CloudHome.end());

interface Device {
  readonly id: string;
  readonly type: string;
  readonly capabilities: readonly string[];
}

async function devices(): Promise<readonly Device[]> {
  const { data } = await ada.done({
    type: "ListDevicesDeviceRegisterQuery",
    deviceRegisterId: hubId,
    pageSize: 200,
  });
  return data as Device[];
}

const share = async (what: string): Promise<void> => {
  const { status } = await hub.call("PUT", "/hub/sharing", hubKey, { type: "SHARING", share: what });
  assert.equal(status, 200);
};

test("the register of a hub that shares nothing holds the hub alone", async () => {
  const found = await eventually("the hub in its register", async () => {
    const all = await devices();
    return all.length > 0 ? all : undefined;
  });
  assert.deepEqual(
    found.map(({ id, type }) => [id, type]),
    [[hubId, "VENDOR_HUB"]],
  );
});

/** Returns the id of a lamp that obeys: others of the simulated home lose commands, or do not report. */
const lampId = async (): Promise<string> => (await hub.device("Bedroom ceiling", hubKey)).id;

test("a home that is shared stands in the register, and follows the home", async () => {
  await share("states");
  const all = await eventually("the devices of the home", async () => {
    const found = await devices();
    return found.length > 20 ? found : undefined;
  });
  const { json } = await hub.call("GET", "/devices", hubKey);
  const ids = [hubId, ...Object.keys(json as object)].toSorted();
  assert.deepEqual(all.map(({ id }) => id).toSorted(), ids);
  const lamp = await lampId();
  const isOn = async (): Promise<unknown> => {
    const asked = { type: "GetDeviceStateDeviceRegisterQuery", deviceRegisterId: hubId, deviceId: lamp };
    return ((await ada.done(asked))["state"] as { isOn?: boolean } | null)?.isOn;
  };
  const wanted = (await isOn()) !== true;
  const type = wanted ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF";
  await hub.call("PUT", "/devices/command", hubKey, [{ type, id: lamp }]);
  await eventually("the lamp's state", async () => ((await isOn()) === wanted ? true : undefined));
});

test("who subscribes sees the home change, by fetches over HTTP", async () => {
  const sessionId = "test";
  await ada.done({ type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hubId, sessionId });
  const fetched = async (): Promise<readonly { readonly type: string; readonly deviceId?: string }[]> => {
    const response = await fetch(`${cloudUrl}/graph/push`, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json" },
      body: JSON.stringify({ sessionId, wait: 1 }),
    });
    return ((await response.json()) as { push: { type: string } }[]).map(({ push }) => push);
  };
  const types = (await fetched()).map(({ type }) => type);
  assert.equal(types[0], "HeartbeatPush");
  assert.ok(types.includes("SnapshotDeviceRegisterPush"), types.join(" "));
  const lamp = await lampId();
  for (const type of ["CMD_DEVICE_ON", "CMD_DEVICE_OFF"])
    await hub.call("PUT", "/devices/command", hubKey, [{ type, id: lamp }]);
  await eventually("the push of the lamp", async () =>
    (await fetched()).some(({ deviceId }) => deviceId === lamp) ? true : undefined,
  );
});

test("a share that ends deletes what the cloud had", async () => {
  await share("none");
  await eventually("the end of the devices", async () => ((await devices()).length === 1 ? true : undefined));
});
