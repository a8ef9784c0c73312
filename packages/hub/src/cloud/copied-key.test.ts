// A thief has copied a hub's identity key and dials its cloud: what the thief gains, and what the users learn.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { socketConsole } from "@ledge/host/cli/client";
import { systemClock } from "@ledge/kernel";
import { DialError, dialTunnel, type Transport, type TunnelDuplex } from "@ledge/link/tunnel";
import { alarmId } from "@ledge/model";
import type { CloudProcess, FullClient } from "@ledge/testkit/client";
import { IdentityKey } from "../secrets/identity-key.ts";
import { CloudHome } from "../testdata/cloud-home.ts";
import { eventually, type HubProcess, ledge } from "../testdata/hub-process.ts";
import { CloudClient } from "./cloud-client.ts";
import { CloudSession } from "./cloud-session.ts";

const owner = "ada@example.org";
let home: CloudHome;
let cloud: CloudProcess;
let hub: HubProcess;
let hubId: string;
let ada: FullClient;
let copied: IdentityKey;
/** The tunnels that the thief has opened. */
const tunnels: TunnelDuplex[] = [];

before(async () => {
  home = new CloudHome();
  cloud = await home.cloud();
  hub = await home.hub(cloud.url);
  await home.claim(hub, owner);
  hubId = await hub.hubId();
  ada = await home.client(cloud, owner);
  await eventually("the hub by the relay", () => ada.poll().catch(() => undefined));
  copied = await IdentityKey.open(hub.folder, createLogger("silent"));
});
after(async () => {
  for (const tunnel of tunnels) tunnel.destroy();
  await CloudHome.end();
});

/** Dials as that hub. @param said the facts that the thief claims, as in `HubFacts` */
async function steal(
  said: { readonly generation: number; readonly instance: string },
  transport: Transport = "upgrade",
): Promise<TunnelDuplex> {
  const facts = { hubId, name: "Stolen", version: "1.14.15.1", features: [5, 9], lanAddresses: [] };
  const session = new CloudSession({
    client: new CloudClient(cloud.url),
    identity: copied,
    clock: systemClock,
    facts: () => ({ ...facts, ...said }),
    issuer: () => undefined,
    trust: () => Promise.resolve(),
  });
  const signal = AbortSignal.timeout(30_000);
  const token = await session.token(undefined, signal);
  const tunnel = await dialTunnel({ url: cloud.url, token, transport, signal });
  tunnels.push(tunnel);
  return tunnel;
}

async function refused(...dial: Parameters<typeof steal>): Promise<string | undefined> {
  const error: unknown = await steal(...dial).then(
    () => assert.fail("the thief has the link"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DialError, String(error));
  return error.clone?.kind;
}

async function isAlarmed(): Promise<boolean> {
  const { json } = await socketConsole(hub.folder).call("GET", "/cc/1.14/alarms");
  const alarms = json as Record<string, { id: string; closed: boolean }>;
  return Object.values(alarms).some(({ id, closed }) => id === alarmId("HUB_CLONED", hubId) && !closed);
}

async function isConnected(): Promise<boolean> {
  return ((await (await fetch(`${hub.address}/hub`)).json()) as { connected: boolean }).connected;
}

/** Whether a request of the owner through the cloud reaches the owner's hub. */
async function isServed(): Promise<boolean> {
  const headers = { authorization: ada.token, "x-hub-key": ada.key };
  const response = await fetch(`${cloud.url}/relay/hub`, { headers });
  return response.status === 200 && ((await response.json()) as { hubId: string }).hubId === hubId;
}

test("a thief with a copied key cannot take the link from a running hub, and users get an alarm", async () => {
  for (const instance of ["thief", ""])
    for (const transport of ["upgrade", "websocket"] as const)
      assert.equal(await refused({ generation: 0, instance }, transport), "same");
  assert.equal(await isServed(), true);
  assert.equal(await eventually("the alarm", async () => ((await isAlarmed()) ? true : undefined)), true);
  assert.equal(await isConnected(), true);
});

test("a key that was copied before the last restore never gets the link, even while the hub is down", async () => {
  assert.equal((await ledge("identity", "--newest", "--yes", "--data", hub.folder)).code, 0);
  await eventually("the cloud knows", () =>
    refused({ generation: 0, instance: "thief" }).then((kind) => (kind === "older" ? true : undefined)),
  );
  assert.equal(await isServed(), true);
  await hub.kill();
  assert.equal(await refused({ generation: 0, instance: "thief" }), "older");
  hub = await home.hub(cloud.url);
  await eventually("the hub by the relay", async () => ((await isServed()) ? true : undefined));
});

test("a thief with a newer generation gets the link; the hub reports it and can take the link back", async () => {
  const said = { generation: Date.now() + 60_000, instance: "thief" };
  const tunnel = await steal(said);
  tunnel.resume();
  await eventually("the hub's refusal", async () => ((await isConnected()) ? undefined : true));
  const status = await eventually("what the hub says", async () => {
    const { stdout } = await ledge("status", "--data", hub.folder);
    return /^cloud .*not connected; another hub has this identity/m.test(stdout) ? stdout : undefined;
  });
  assert.match(status, /the cloud keeps to the one that was restored at/);
  assert.equal(await isAlarmed(), true);
  assert.equal((await ledge("identity", "--newest", "--yes", "--data", hub.folder)).code, 0);
  await eventually("the hub's link", async () => ((await isConnected()) ? true : undefined));
  assert.equal(await isServed(), true);
  assert.equal(await refused(said), "older");
});
