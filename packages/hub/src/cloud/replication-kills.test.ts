// A large home reaches the cloud page by page, while the cloud and the hub are killed in between.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, test } from "node:test";
import { seededRandom } from "@ledge/testkit";
import { CloudHome } from "../testdata/cloud-home.ts";
import { GraphClient } from "../testdata/graph-client.ts";
import { eventually } from "../testdata/hub-process.ts";

after(() => CloudHome.end());

const devices = 20_000;
const kills = 4;
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

interface Page {
  readonly data: readonly { readonly id: string; readonly type: string }[];
  readonly links: { readonly next: string | null };
}

test(`a home of ${devices} devices is whole in the cloud after kills of both (SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const adapters = { sim: { seed: 1, devices, latencyMs: 0, reportsPerSecond: 0 } };
  const home = new CloudHome({ adapters });
  let cloud = await home.cloud();
  let hub = await home.hub(cloud.url);
  await home.claim(hub, "ada@example.org");
  const { token } = await home.client(cloud, "ada@example.org");
  const ada = await GraphClient.open(cloud.url, token);
  const known = async (): Promise<Readonly<Record<string, { state: { isOn?: boolean } }>>> =>
    (await hub.call("GET", "/devices", await hub.key())).json as never;
  // Whoever waits asks for little: all devices again and again would keep hub and cloud busy.
  await eventually("the devices of the hub", async () => {
    const response = await fetch(`${hub.address}/metrics`, { headers: { authorization: await hub.key() } });
    return (await response.text()).includes(`\nledge_devices ${devices}\n`) ? true : undefined;
  });
  const last = Object.keys(await known())
    .toSorted()
    .at(-1);
  const hubId = await hub.hubId();
  const share = { type: "SHARING", share: "states" };
  assert.equal((await hub.call("PUT", "/hub/sharing", await hub.key(), share)).status, 200);
  for (let kill = 0; kill < kills; kill++) {
    await sleep(random(1500));
    if (kill % 2 === 0) {
      await cloud.kill();
      cloud = await home.cloud(cloud.port);
    } else {
      await hub.kill();
      hub = await home.hub(cloud.url);
    }
  }
  const list = { type: "ListDevicesDeviceRegisterQuery", deviceRegisterId: hubId };
  await eventually("the last device", async () => {
    const { data } = (await ada.done({ ...list, search: last, pageSize: 1 })) as unknown as Page;
    return data.length > 0 ? true : undefined;
  });
  const inCloud = async (): Promise<string[]> => {
    const ids: string[] = [];
    let next: string | null = null;
    do {
      const page = { pageSize: 2000, ...(next !== null && { next }) };
      const { data, links } = (await ada.done({ ...list, ...page })) as unknown as Page;
      ids.push(...data.map(({ id }) => id));
      ({ next } = links);
    } while (next !== null);
    return ids;
  };
  const found = await eventually("the whole home", async () => {
    const ids = await inCloud();
    return ids.length > devices ? ids : undefined;
  });
  assert.deepEqual(found.toSorted(), [hubId, ...Object.keys(await known())].toSorted());
});
