// Operations of Graph, with hub and cloud in processes of their own that are killed.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { CloudProcess } from "@ledge/testkit/client";
import { CloudHome } from "../testdata/cloud-home.ts";
import { GraphClient } from "../testdata/graph-client.ts";
import { eventually, type HubProcess } from "../testdata/hub-process.ts";

const email = "ada@example.org";
afterEach(() => CloudHome.end());

interface Operation {
  readonly operationId: string;
  readonly state: string;
  readonly percentComplete: number;
  readonly correlationId: string | null;
  readonly result: Record<string, unknown> | null;
  readonly error: { readonly code: string; readonly details?: Record<string, string> } | null;
}

/** A hub that Ada owns, connected to its cloud. */
async function connected(...args: string[]) {
  return connectedHome(new CloudHome(), ...args);
}

async function connectedHome(home: CloudHome, ...args: string[]) {
  const cloud = await home.cloud();
  const hub = await home.hub(cloud.url, ...args);
  await home.claim(hub, email);
  const { token } = await home.client(cloud, email);
  const ada = await GraphClient.open(cloud.url, token);
  const hubId = await hub.hubId();
  await isConnected(ada, hubId);
  return { home, cloud, hub, token, ada, hubId };
}

async function isConnected(ada: GraphClient, hubId: string): Promise<void> {
  await eventually("the tunnel", async () => {
    const { hub } = await ada.done({ type: "GetHubQuery", hubId });
    return (hub as { connected: boolean }).connected || undefined;
  });
}

async function operationOf(ada: GraphClient, operationId: string): Promise<Operation> {
  return (await ada.done({ type: "GetOperationQuery", operationId }))["operation"] as Operation;
}

async function restart(ada: GraphClient, hubId: string): Promise<string> {
  const { operation } = await ada.done({ type: "RestartHubCommand", hubId });
  assert.equal((operation as Operation).state, "NotStarted");
  return (operation as Operation).operationId;
}

/** Starts the hub again, as its supervisor does, when it has ended by itself. */
async function startedAgain(home: CloudHome, hub: HubProcess, cloud: CloudProcess): Promise<HubProcess> {
  assert.equal((await hub.ended).code, 85);
  return home.hub(cloud.url, "--supervised", "exit");
}

test("a restart survives the death of the cloud at any moment, and is done when the hub answers anew", async () => {
  const { home, cloud, hub, ada, hubId } = await connected("--supervised", "exit");
  const operationId = await restart(ada, hubId);
  await cloud.kill();
  const again = await home.cloud(cloud.port);
  assert.ok(["NotStarted", "Running"].includes((await operationOf(ada, operationId)).state));
  await startedAgain(home, hub, again);
  const done = await eventually("the end", async () => {
    const operation = await operationOf(ada, operationId);
    return operation.state === "Succeeded" ? operation : undefined;
  });
  assert.equal(done.percentComplete, 100);
  await again.kill();
  await home.cloud(cloud.port);
  assert.deepEqual(await operationOf(ada, operationId), done);
});

test("an operation is followed, listed and canceled by who started it, and found by nobody else", async () => {
  const { home, cloud, hub, token, ada, hubId } = await connected("--supervised", "exit");
  const operationId = await restart(ada, hubId);
  await hub.ended;
  const response = await fetch(`${cloud.url}/1.0/operations/${operationId}`, {
    headers: { authorization: token },
  });
  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as Operation).operationId, operationId);
  const listed = await ada.done({ type: "ListOperationQuery", state: "Running" });
  assert.deepEqual(
    (listed["data"] as Operation[]).map((each) => each.operationId),
    [operationId],
  );
  const eve = ada.as((await home.client(cloud, "eve@example.org")).token);
  for (const type of ["GetOperationQuery", "CancelOperationCommand"])
    assert.equal(await eve.fails({ type, operationId }), "E_NOT_FOUND");
  assert.deepEqual((await eve.done({ type: "ListOperationQuery" }))["data"], []);
  const { operation } = await ada.done({ type: "CancelOperationCommand", operationId });
  assert.equal((operation as Operation).state, "Canceled");
  assert.equal(await ada.fails({ type: "CancelOperationCommand", operationId }), "E_WRONG_STATE");
  await cloud.kill();
  await home.cloud(cloud.port);
  assert.equal((await operationOf(ada, operationId)).state, "Canceled");
  assert.equal(await ada.fails({ type: "RestartHubCommand", hubId }), "E_HUB_OFFLINE");
  const missing = await fetch(`${cloud.url}/1.0/Operations/none`, { headers: { authorization: token } });
  assert.equal(missing.headers.get("content-type"), "application/problem+json");
  const problem = (await missing.json()) as Record<string, unknown>;
  assert.deepEqual(
    [missing.status, problem["type"], problem["instance"]],
    [404, "/problems/not_found", "/1.0/Operations/none"],
  );
});

test("an operation fails when the hub refuses, or restarts nothing", async () => {
  const { ada, hubId } = await connected();
  for (const type of ["RestartHubCommand", "RebootHubCommand"]) {
    const { operation } = await ada.done({ type, hubId });
    const { operationId } = operation as Operation;
    const { error } = await eventually("the end", async () => {
      const found = await operationOf(ada, operationId);
      return found.state === "Failed" ? found : undefined;
    });
    assert.deepEqual([error?.code, error?.details?.["status"]], ["E_HUB_REFUSED", "422"]);
  }
});

test("a tracked command ends as it does at the device, though the cloud dies while the device is at it", async () => {
  const script = [{ atMs: 0, native: "kitchen/ceiling", action: "unplug" }];
  const { home, cloud, ada, hubId } = await connectedHome(
    new CloudHome({ adapters: { sim: { seed: 1, latencyMs: 2000, script } } }),
  );
  await ada.done({ type: "SetShareHubCommand", hubId, share: "states" });
  const register = { deviceRegisterId: hubId };
  const idOf = (name: string): Promise<string> =>
    eventually(name, async () => {
      const asked = { type: "ListDevicesDeviceRegisterQuery", ...register, filters: { name } };
      const { data } = await ada.done(asked);
      return (data as { id: string }[])[0]?.id;
    });
  const execute = async (name: string): Promise<Operation> => {
    const command = { type: "CMD_DEVICE_ON" };
    const given = { ...register, deviceId: await idOf(name), command, track: true };
    const { value, operation } = await ada.done({ type: "ExecuteDeviceRegisterCommand", ...given });
    assert.equal(value, null);
    return operation as Operation;
  };
  const [lamp, unplugged] = [await execute("Living room ceiling"), await execute("Kitchen ceiling")];
  await cloud.kill();
  await home.cloud(cloud.port);
  const ended = ({ operationId }: Operation): Promise<Operation> =>
    eventually("the end", async () => {
      const found = await operationOf(ada, operationId);
      return ["NotStarted", "Running"].includes(found.state) ? undefined : found;
    });
  const [done, failed] = [await ended(lamp), await ended(unplugged)];
  assert.deepEqual([done.state, done.result?.["outcome"]], ["Succeeded", "done"]);
  const { code, outcome } = failed.error?.details ?? {};
  assert.deepEqual(
    [failed.state, failed.error?.code, outcome, code],
    ["Failed", "E_HUB_REFUSED", "failed", "unreachable"],
  );
});
