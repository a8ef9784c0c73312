import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { TestTenant } from "../graph/test-tenant.ts";
import type { Served } from "../http/test-served.ts";
import { refusalOf } from "../model/submitting.ts";
import { makeClient, startServed, tokensFor } from "../oauth/test-flow.ts";
import { openWatching } from "./open-watching.ts";

let served: Served;
let tenant: TestTenant;
/** Registers in the personal tenant, which is the active one, and in another tenant of the account. */
let here: string;
let elsewhere: string;
/** An access token, which is bound to the active tenant. */
let bound: string;
before(async () => {
  served = await startServed();
  tenant = await TestTenant.open(served, "ada@example.org");
  here = await tenant.createRegister("Here");
  const { kernel } = served.test.cloud;
  const command = { type: "CREATE_TENANT", id: "other", displayName: "Other", owner: tenant.id };
  assert.equal(await refusalOf(kernel, "console", command), undefined);
  const made = await tenant.send("CreateSubscriptionCommand", { tenantId: "other", displayName: "Other" });
  const { subscriptionId } = made["subscription"] as { subscriptionId: string };
  await tenant.send("CreateResourceGroupCommand", { subscriptionId, name: "things" });
  const place = {
    subscriptionId,
    resourceGroupName: "things",
    name: "There",
    provider: "Vendor.DeviceRegister",
  };
  const { resource } = await tenant.send("CreateResourceCommand", place);
  elsewhere = (resource as { properties: { registerId: string } }).properties.registerId;
  const client = await makeClient(served, "ada@example.org", ["devices.read"]);
  ({ access_token: bound } = await tokensFor(served, client, "ada@example.org", "devices.read"));
});
after(() => served.stop());

test("a reader with an access token gets pushes of the token's tenant alone", async () => {
  const subscribe = { type: "SubscribeDeviceRegisterCommand", sessionId: "s" };
  for (const deviceRegisterId of [here, elsewhere])
    await tenant.send(subscribe.type, { ...subscribe, deviceRegisterId });
  const { error } = await served.graph(bound, { ...subscribe, deviceRegisterId: elsewhere });
  assert.equal(error?.code, "E_NOT_FOUND");
  await served.fetched(tenant.token, "s", 1);
  assert.equal(
    (await served.graph(bound, { ...subscribe, sessionId: "t", deviceRegisterId: here })).error,
    undefined,
  );
  await served.fetched(bound, "t", 1);
  for (const deviceRegisterId of [here, elsewhere])
    await tenant.send("AddDeviceDeviceRegisterCommand", {
      deviceRegisterId,
      device: { id: "meter", name: "M", type: "METER" },
    });
  const registersIn = async (token: string, sessionId: string): Promise<string[]> => {
    const pushes = await served.fetched(token, sessionId, 1);
    const found = pushes.flatMap((push) =>
      push.type === "DeviceStateDeviceRegisterPush" ? [push.deviceRegisterId] : [],
    );
    return [...new Set(found)].toSorted();
  };
  assert.deepEqual(await registersIn(bound, "t"), [here]);
  assert.deepEqual(await registersIn(tenant.token, "s"), [here, elsewhere].toSorted());
});

test("leaves nothing at the kernel when it ends", () => {
  const { cloud, clock } = served.test;
  const { kernel, registers, bus } = cloud;
  let count = 0;
  const subscribe = kernel.subscribe.bind(kernel);
  kernel.subscribe = (subscriber) => {
    count++;
    const end = subscribe(subscriber);
    return () => {
      count--;
      end();
    };
  };
  const tunnels = { reach: () => "offline" as const, onReach: () => () => {} };
  const watching = openWatching({ cloud, tunnels, registers, bus, clock, logger: createLogger("silent") });
  assert.ok(count > 0);
  watching.stop();
  assert.equal(count, 0);
  kernel.subscribe = subscribe;
});
