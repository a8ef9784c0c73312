import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { features, limits, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import type { Operation } from "../model/operation.ts";
import { type Asked, answering } from "../relay/test-answering.ts";
import { deviceLine, linesOf, send as answer } from "../replication/test-home.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { ended, TestTenant } from "./test-tenant.ts";

let served: Served;
let tenant: TestTenant;
let hub: TestHub;
let hubToken: string;
let deviceRegisterId: string;
/** The token of somebody who may read the register, and has no role at the hub. */
let reader: string;
/** What the hub was asked, but for its changes. */
const asked: Asked[] = [];
/** What the hub tells of its home when it is asked from the beginning. */
let lines: readonly object[] = [];
let share: "states" | "none" = "states";
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  ({ hub, hubToken } = await served.claimed("owner@example.org", { features: [features.REMOTE_USAGE] }));
  deviceRegisterId = await tenant.createRegister("Homes");
  reader = await tenant.member("reader@example.org", "reader");
});
after(() => served.stop());

let told = 0;
/** Connects the hub. It tells its home to whoever asks from the beginning, and has no other news. */
async function dial(): Promise<void> {
  await served.dial(
    hubToken,
    answering(asked, () => [200, null]),
    (stream, headers) => {
      const cursor = new URL(String(headers[":path"]), "http://hub").searchParams.get("after") || null;
      if (cursor?.startsWith("told.")) return;
      const request = { after: cursor, stream };
      const end = { next: `told.${++told}`, more: false };
      answer(request, linesOf(request, share === "none" ? [] : lines, end, { full: true, share }));
    },
  );
}

type Sent = Awaited<ReturnType<Served["graph"]>>;
const send = (type: string, fields: object = {}, token = tenant.token): Promise<Sent> =>
  served.graph(token, { type, deviceRegisterId, ...fields });
const codeOf = async (...given: Parameters<typeof send>): Promise<string | undefined> =>
  (await send(...given)).error?.code;
const done = async (...given: Parameters<typeof send>): Promise<Sent> => {
  const result = await send(...given);
  assert.equal(result.error, undefined, JSON.stringify(result));
  return result;
};
const register = (more: object = {}, token = tenant.token): Promise<Sent> =>
  send("RegisterHubDeviceRegisterCommand", { hub: { serialNumber: hub.id, ...more } }, token);
type Device = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };
const listed = async (of = deviceRegisterId, token = tenant.token): Promise<Device[]> =>
  (await done("ListDevicesDeviceRegisterQuery", { deviceRegisterId: of }, token))["data"] as Device[];
const ids = async (...given: Parameters<typeof listed>): Promise<string[]> =>
  (await listed(...given)).map(({ id }) => id).filter((id) => id !== hub.id);

test("a hub that the caller does not own is not registered", async () => {
  const { error } = await register({ serialNumber: "no-such-hub" });
  assert.deepEqual([error?.code, error?.details?.["field"]], ["E_NOT_FOUND", "hub.serialNumber"]);
  assert.equal((await register({}, reader)).error?.code, "E_FORBIDDEN");
  assert.equal((await register({ serialNumber: "x" })).error?.code, "E_INVALID");
  assert.equal((await register({ name: "ab" })).error?.code, "E_INVALID");
  assert.equal((await register({ name: "n".repeat(limits.deviceTextChars + 1) })).error?.code, "E_INVALID");
  const friend = await served.invited(tenant.token, hub.id, "friend@example.org", roles.USER_ADMIN);
  const account = served.accountId("friend@example.org");
  await tenant.assign(account, "owner");
  const refused = (await register({}, friend)).error;
  assert.deepEqual([refused?.code, refused?.details?.["field"]], ["E_FORBIDDEN", "hub.serialNumber"]);
});

/** Waits until the store has these rows in the register, the gateway left out. */
async function shows(expected: readonly string[], of = deviceRegisterId): Promise<void> {
  await until(`the devices ${expected.join(" ")}`, async () => {
    const stored = await served.registers.ids(of);
    return stored.filter((id) => id !== hub.id).join() === expected.join();
  });
}

test("a registered hub is a gateway at once, and its devices follow when it has told them", async () => {
  const { operation } = await register({ name: "Cabin by the lake", model: "M1", tags: { area: "north" } });
  const { operationId, target } = operation as { operationId: string; target: object };
  assert.deepEqual(target, { deviceRegisterId, deviceId: hub.id, hubId: hub.id });
  const state = (): Operation | undefined => served.test.cloud.kernel.get("operation", operationId);
  await served.registers.has(deviceRegisterId, hub.id);
  const [gateway] = await listed();
  assert.equal(state()?.state, "Running");
  const { id, name, type, model, tags } = gateway ?? assert.fail();
  assert.deepEqual(
    { id, name, type, model, tags },
    { id: hub.id, name: "Cabin by the lake", type: "VENDOR_HUB", model: "M1", tags: { area: "north" } },
  );
  lines = [deviceLine("lamp", 1), deviceLine("secret", 1, { visible: false })];
  await dial();
  await ended(served, operation);
  assert.deepEqual(await ids(), ["lamp"]);
  assert.deepEqual(await ids(hub.id), ["lamp", "secret"]);
  assert.equal((await register()).error?.code, "E_CONFLICT");
});

test("readers of the register read the hub's devices, and never reach into the home", async () => {
  assert.deepEqual(await ids(deviceRegisterId, reader), ["lamp"]);
  const { state } = await done("GetDeviceStateDeviceRegisterQuery", { deviceId: "lamp" }, reader);
  assert.equal(state, null);
  assert.equal(await codeOf("GetDeviceDeviceRegisterQuery", { deviceId: "secret" }, reader), "E_NOT_FOUND");
  const command = { type: "CMD_DEVICE_ON" };
  for (const [type, fields] of [
    ["SendDeviceRegisterCommand", { deviceId: "lamp", command }],
    ["ListHubUsersDeviceRegisterQuery", { deviceId: hub.id }],
    ["RestartHubDeviceRegisterCommand", { deviceId: hub.id }],
    ["InviteHubUserDeviceRegisterCommand", { deviceId: hub.id, email: "x@example.org", role: "USER" }],
  ] as const)
    assert.equal(await codeOf(type, fields, reader), "E_FORBIDDEN", type);
  assert.equal(
    await codeOf("ListDevicesDeviceRegisterQuery", { deviceRegisterId: hub.id }, reader),
    "E_NOT_FOUND",
  );
  assert.deepEqual(asked, []);
});

test("a user of the hub who reads the register controls its devices through it", async () => {
  const user = await served.invited(tenant.token, hub.id, "user@example.org", roles.IDENTIFIED_USER);
  const command = { type: "CMD_DEVICE_ON" };
  assert.equal(await codeOf("SendDeviceRegisterCommand", { deviceId: "lamp", command }, user), "E_NOT_FOUND");
  await tenant.assign(served.accountId("user@example.org"), "reader");
  const { value } = await done("SendDeviceRegisterCommand", { deviceId: "lamp", command }, user);
  assert.equal(value, null);
  assert.deepEqual(asked, [["PUT", "/cc/1.14/devices/command", [{ ...command, id: "lamp" }]]]);
  assert.equal(
    await codeOf("UpdateDeviceDeviceRegisterCommand", { deviceId: "lamp", device: { name: "L" } }, user),
    "E_FORBIDDEN",
  );
  const { users } = await done("ListHubUsersDeviceRegisterQuery", { deviceId: hub.id }, user);
  assert.equal((users as object[]).length, 1);
});

test("the operation of a registration is read by who administers the register", async () => {
  const { operation } = await register({ serialNumber: hub.id });
  assert.equal(operation, undefined);
  const begun = [...served.test.cloud.kernel.all("operation")].find(
    ([, { command }]) => command === "RegisterHubDeviceRegisterCommand",
  );
  const operationId = begun?.[0];
  assert.equal(await codeOf("GetOperationQuery", { operationId }, reader), "E_NOT_FOUND");
  assert.equal(await codeOf("GetOperationQuery", { operationId }), undefined);
});

test("a description in one register is not one in another, and a name goes to the hub", async () => {
  asked.length = 0;
  const device = { name: "lamp", tags: { seen: "here" } };
  const { device: changed } = await done("UpdateDeviceDeviceRegisterCommand", { deviceId: "lamp", device });
  assert.deepEqual((changed as Device)["tags"], { seen: "here" });
  const inHubs = (await listed(hub.id)).find(({ id }) => id === "lamp");
  assert.deepEqual(inHubs?.["tags"], {});
  assert.deepEqual(asked, []);
  await done("UpdateDeviceDeviceRegisterCommand", { deviceId: "lamp", device: { ...device, name: "Lamp" } });
  assert.deepEqual(asked, [
    ["PUT", "/cc/1.14/devices", [{ type: "CMD_DEVICE_META", id: "lamp", name: "Lamp", room: [] }]],
  ]);
});

test("a gateway is named in its register alone", async () => {
  const device = { name: "Summer cabin" };
  const { device: named } = await done("UpdateDeviceDeviceRegisterCommand", { deviceId: hub.id, device });
  assert.equal((named as Device).name, "Summer cabin");
  assert.equal((await listed(hub.id)).find(({ id }) => id === hub.id)?.name, "Cabin");
});

test("of two devices with one id the later is left out", async () => {
  const device = { id: "lamp", name: "Mine", type: "LIGHT" };
  assert.equal(await codeOf("AddDeviceDeviceRegisterCommand", { device }), "E_CONFLICT");
  await done("AddDeviceDeviceRegisterCommand", { device: { ...device, id: "later" } });
  lines = [...lines, deviceLine("later", 2)];
  const { operation } = await served.graph(tenant.token, { type: "SyncHubCommand", hubId: hub.id });
  await ended(served, operation);
  await shows(["lamp", "later", "secret"], hub.id);
  const { device: kept } = await done("GetDeviceDeviceRegisterQuery", { deviceId: "later" });
  assert.equal((kept as Device).name, "Mine");
  const left = served.log.filter(({ hubId, leftOut }) => hubId === hub.id && leftOut !== undefined);
  assert.ok(left.length > 0);
  await done("RemoveDeviceDeviceRegisterCommand", { deviceId: "later" });
});

test("a home that is shared no more leaves the gateway alone", async () => {
  share = "none";
  const { operation } = await served.graph(tenant.token, { type: "SyncHubCommand", hubId: hub.id });
  await ended(served, operation);
  await shows([]);
  assert.equal((await listed()).length, 1);
  share = "states";
  await ended(
    served,
    (await served.graph(tenant.token, { type: "SyncHubCommand", hubId: hub.id }))["operation"],
  );
  await shows(["lamp", "later", "secret"]);
});

test("a gateway that is removed takes its devices along, and watchers see them go", async () => {
  await done("SubscribeDeviceRegisterCommand", { sessionId: "s" }, reader);
  await served.fetched(reader, "s", 1);
  await done("RemoveDeviceDeviceRegisterCommand", { deviceId: hub.id });
  assert.deepEqual(await listed(), []);
  assert.deepEqual(await ids(hub.id), ["lamp", "later", "secret"]);
  const gone = (await served.fetched(reader, "s", 1)).flatMap((push) =>
    push.type === "DeviceStateDeviceRegisterPush" && push.removed ? [push.deviceId] : [],
  );
  assert.deepEqual(gone.toSorted(), [hub.id, "lamp", "later"].toSorted());
  const { operation } = await register();
  await ended(served, operation);
  assert.deepEqual((await listed()).find(({ id }) => id === "lamp")?.["tags"], {});
});

test("the owner of a hub takes it back from a register of others", async () => {
  const other = await TestTenant.open(served, "other@example.org");
  const theirs = await other.createRegister("Theirs");
  await other.assign(tenant.id, "contributor");
  const { operation } = await served.graph(tenant.token, {
    type: "RegisterHubDeviceRegisterCommand",
    deviceRegisterId: theirs,
    hub: { serialNumber: hub.id },
  });
  await ended(served, operation);
  const role = {
    tenantId: other.id,
    scope: `/Tenant/${other.id}`,
    principal: tenant.id,
    role: "contributor",
  };
  await other.send("RemoveRoleTenantCommand", role);
  const leave = { type: "LeaveDeviceRegisterHubCommand", hubId: hub.id, deviceRegisterId: theirs };
  const { hub: shown } = await served.graph(tenant.token, { type: "GetHubQuery", hubId: hub.id });
  assert.deepEqual((shown as { registers: string[] }).registers, [deviceRegisterId, theirs]);
  assert.equal((await served.graph(other.token, leave)).error?.code, "E_NOT_FOUND");
  assert.equal((await served.graph(tenant.token, leave)).error, undefined);
  assert.equal((await served.graph(tenant.token, leave)).error?.code, "E_NOT_FOUND");
  assert.deepEqual(
    (await other.send("ListDevicesDeviceRegisterQuery", { deviceRegisterId: theirs }))["data"],
    [],
  );
});

test("a hub that its owner releases leaves all registers", async () => {
  await done("SubscribeDeviceRegisterCommand", { sessionId: "t" }, reader);
  await served.fetched(reader, "t", 1);
  const { kernel, sharing } = served.test.cloud;
  assert.equal(await sharing.leave(tenant.id, hub.id), undefined);
  await until("the end", () => kernel.get("deviceRegister", deviceRegisterId)?.leaving.length === 0);
  const gone = (await served.fetched(reader, "t", 1)).flatMap((push) =>
    push.type === "DeviceStateDeviceRegisterPush" && push.removed ? [push.deviceId] : [],
  );
  assert.deepEqual(gone.toSorted(), [hub.id, "lamp", "later"].toSorted());
  assert.deepEqual(await listed(), []);
});
