import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { ownSource } from "../registers/own-source.ts";
import { Served } from "../http/test-served.ts";
import { TestTenant } from "./test-tenant.ts";

let served: Served;
let tenant: TestTenant;
let deviceRegisterId: string;
let stranger: string;
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  deviceRegisterId = await tenant.createRegister("Meters & more");
  stranger = await served.logIn("stranger@example.org");
});
after(() => served.stop());

type Device = Readonly<Record<string, unknown>> & { readonly id: string };
const meter = { id: "meter-1", name: "Main meter", type: "METER" };
const full = {
  ...meter,
  isActive: false,
  capabilities: ["MEASURE_POWER"],
  routing: { gatewayId: "line-7", protocol: "modbus" },
  nativeId: "0x07",
  serialNumber: "S-1",
  model: "EM-340",
  manufacturer: "Carlo",
  tags: { floor: "1" },
};
/** What a device has of which nothing was said. */
const unsaid = {
  capabilities: [],
  routing: { gatewayId: null, protocol: null },
  nativeId: "",
  serialNumber: "",
  model: "",
  manufacturer: "",
  tags: {},
};

const send = (type: string, fields: object = {}, token = tenant.token) =>
  served.graph(token, {
    type: `${type}DeviceRegister${type.startsWith("Get") || type.startsWith("List") ? "Query" : "Command"}`,
    deviceRegisterId,
    ...fields,
  });
const codeOf = async (...given: Parameters<typeof send>): Promise<string | undefined> =>
  (await send(...given)).error?.code;
const done = async (...given: Parameters<typeof send>): Promise<Readonly<Record<string, unknown>>> => {
  const result = await send(...given);
  assert.equal(result.error, undefined, JSON.stringify(result));
  return result;
};
const listed = async (fields: object = {}): Promise<Device[]> =>
  (await done("ListDevices", fields))["data"] as Device[];

test("a register says its name and its resource, and that no hub is behind it", async () => {
  const { register } = await served.graph(tenant.token, { type: "GetDeviceRegisterQuery", deviceRegisterId });
  const resourceId = `/Subscriptions/${tenant.id}/ResourceGroups/things/Providers/Vendor.DeviceRegister/Meters & more`;
  assert.deepEqual(register, { deviceRegisterId, displayName: "Meters & more", resourceId });
  assert.match(deviceRegisterId, /^meters-more-[a-z2-7]{8}$/);
  assert.equal(await codeOf("ListDevices", {}, stranger), "E_NOT_FOUND");
});

test("nobody can tell a register that they may not read from one that does not exist", async () => {
  const other = await TestTenant.open(served, "curious@example.org");
  const { siteId } = (await other.create("House", "Vendor.Sites")).properties;
  const messageFor = async (id: string): Promise<string | undefined> => {
    const device = { deviceRegisterId: id, deviceId: "meter-1" };
    const entity = { type: "room", name: "hall", device };
    const { error } = await served.graph(other.token, { type: "CreateEntitySiteCommand", siteId, entity });
    return error?.message.replace(id, "X");
  };
  assert.equal(await messageFor(deviceRegisterId), "there is no device register X");
  assert.equal(await messageFor("no-such-register"), "there is no device register X");
});

test("a device that cannot be added is refused, with its field", async () => {
  const wrong: readonly [device: object, field: string][] = [
    [{ ...meter, id: "m".repeat(limits.newDeviceIdMinChars - 1) }, "device.id"],
    [{ ...meter, id: "m".repeat(limits.newDeviceIdMaxChars + 1) }, "device.id"],
    [{ ...meter, id: "Meter" }, "device.id"],
    [{ name: "n", type: "T" }, "device.id"],
    [{ id: "meter-1", type: "T" }, "device.name"],
    [{ id: "meter-1", name: "n" }, "device.type"],
    [{ ...meter, name: " " }, "device.name"],
    [{ ...meter, name: "n".repeat(limits.deviceTextChars + 1) }, "device.name"],
    [{ ...meter, model: "m".repeat(limits.deviceTextChars + 1) }, "device.model"],
    [{ ...meter, isActive: 1 }, "device.isActive"],
    [{ ...meter, capabilities: "ON_OFF" }, "device.capabilities"],
    [{ ...meter, routing: { gatewayId: 7, protocol: null } }, "device.routing.gatewayId"],
    [{ ...meter, tags: { "a:b": "c" } }, "device.tags"],
  ];
  for (const [device, field] of wrong) {
    const { error } = await send("AddDevice", { device });
    assert.equal(error?.code, "E_INVALID", JSON.stringify(device).slice(0, 80));
    assert.ok(error.details?.["field"]?.startsWith(field), `${field}: ${JSON.stringify(error)}`);
  }
  assert.equal(await codeOf("AddDevice", { device: meter }, stranger), "E_NOT_FOUND");
  assert.deepEqual(await listed(), []);
});

test("an added device has what was said of it, and its id is taken", async () => {
  const { device } = await done("AddDevice", { device: full });
  const { createdAt, modifiedAt, ...rest } = device as Device & { createdAt: number; modifiedAt: number };
  assert.deepEqual(rest, { ...full, createdBy: tenant.id, modifiedBy: tenant.id });
  assert.ok(createdAt > 0 && createdAt === modifiedAt);
  assert.deepEqual(await listed(), [device]);
  assert.equal(await codeOf("AddDevice", { device: meter }), "E_CONFLICT");
  const { state } = await done("GetDeviceState", { deviceId: "meter-1" });
  assert.equal(state, null);
});

test("a device with as little as it needs is active, and its texts are empty", async () => {
  const id = "m".repeat(limits.newDeviceIdMaxChars);
  const { device } = await done("AddDevice", { device: { ...meter, id } });
  const { createdAt: _, modifiedAt: __, ...rest } = device as Device;
  assert.deepEqual(rest, {
    ...meter,
    id,
    isActive: true,
    ...unsaid,
    createdBy: tenant.id,
    modifiedBy: tenant.id,
  });
  await done("RemoveDevice", { deviceId: id });
});

test("an update replaces everything but type and activity that are left out", async () => {
  const other = await tenant.member("other@example.org", "contributor");
  const by = served.accountId("other@example.org");
  assert.equal(await codeOf("UpdateDevice", { deviceId: "meter-9", device: { name: "n" } }), "E_NOT_FOUND");
  const { device } = await done("UpdateDevice", { deviceId: "meter-1", device: { name: "Meter" } }, other);
  const { createdAt, modifiedAt, ...rest } = device as Device & { createdAt: number; modifiedAt: number };
  assert.deepEqual(rest, {
    ...full,
    name: "Meter",
    ...unsaid,
    createdBy: tenant.id,
    modifiedBy: by,
  });
  assert.ok(modifiedAt >= createdAt);
  const whole = { name: "Meter", type: "GAUGE", isActive: true, capabilities: ["FLOW"], tags: { a: "b" } };
  const { device: now } = await done("UpdateDevice", { deviceId: "meter-1", device: whole });
  const { type, isActive, capabilities, tags } = now as Device;
  assert.deepEqual(
    { type, isActive, capabilities, tags },
    { type: "GAUGE", isActive: true, capabilities: ["FLOW"], tags: { a: "b" } },
  );
});

test("the list of a register goes by pages, orders, searches and filters", async () => {
  for (const [id, name] of [
    ["abc-1", "Zulu"],
    ["abc-2", "Alpha"],
    ["abc-3", "Mike"],
  ])
    await done("AddDevice", { device: { id, name, type: "LAMP", tags: { row: "x" } } });
  const ids = async (fields: object): Promise<string[]> => (await listed(fields)).map(({ id }) => id);
  assert.deepEqual(await ids({ orderBy: "name", filters: { type: "lamp" } }), ["abc-2", "abc-3", "abc-1"]);
  assert.deepEqual(await ids({ search: "zul" }), ["abc-1"]);
  assert.deepEqual(await ids({ filters: { tags: "row:x", name: "mike" } }), ["abc-3"]);
  const { data, links } = await done("ListDevices", { pageSize: 3, descending: true });
  assert.deepEqual(
    (data as Device[]).map(({ id }) => id),
    ["meter-1", "abc-3", "abc-2"],
  );
  assert.deepEqual(await ids({ pageSize: 3, descending: true, next: (links as { next: string }).next }), [
    "abc-1",
  ]);
  assert.equal(await codeOf("ListDevices", { orderBy: "model" }), "E_INVALID");
});

test("a device that no hub reaches has a configuration, and takes no commands", async () => {
  await done("SetDeviceConfiguration", { deviceId: "meter-1", configuration: { baud: 9600 } });
  assert.deepEqual((await done("GetDeviceConfiguration", { deviceId: "meter-1" }))["configuration"], {
    baud: 9600,
  });
  const command = { type: "CMD_DEVICE_ON" };
  assert.equal(await codeOf("Send", { deviceId: "meter-1", command }), "E_NOT_SUPPORTED");
  assert.equal(await codeOf("Execute", { deviceId: "meter-1", command, track: true }), "E_NOT_SUPPORTED");
  await done("UpdateDevice", { deviceId: "meter-1", device: { name: "Meter", isActive: false } });
  assert.equal(await codeOf("Send", { deviceId: "meter-1", command }), "E_WRONG_STATE");
  assert.equal(await codeOf("RestartHub", { deviceId: "meter-1" }), "E_NOT_FOUND");
});

test("watchers of a register see devices come, change and go", async () => {
  const reader = await tenant.member("reader@example.org", "reader");
  assert.equal(await codeOf("Subscribe", { sessionId: "s" }, stranger), "E_NOT_FOUND");
  await done("Subscribe", { sessionId: "s" }, reader);
  const seen = async (): Promise<string[]> =>
    (await served.fetched(reader, "s", 1)).flatMap((push) =>
      push.type === "DeviceStateDeviceRegisterPush"
        ? [push.removed ? `${push.deviceId} removed` : `${push.deviceId} ${push.name}`]
        : [],
    );
  assert.deepEqual(await seen(), ["abc-1 Zulu", "abc-2 Alpha", "abc-3 Mike", "meter-1 Meter"]);
  await done("UpdateDevice", { deviceId: "abc-1", device: { name: "Yankee" } });
  await done("RemoveDevice", { deviceId: "abc-2" });
  assert.deepEqual(await seen(), ["abc-1 Yankee", "abc-2 removed"]);
  assert.equal(await codeOf("RemoveDevice", { deviceId: "abc-1" }, reader), "E_FORBIDDEN");
  assert.equal(await codeOf("RemoveDevice", { deviceId: "abc-2" }), "E_NOT_FOUND");
});

test("templates of a register are those of its tenant", async () => {
  const template = { id: "lamp-card", displayName: "Card", content: {} };
  await tenant.send("AddTemplateTenantCommand", {
    tenantId: tenant.id,
    templateType: "device",
    deviceType: "LAMP",
    template,
  });
  const { deviceTemplates } = await done("ListTemplates");
  assert.deepEqual(
    (deviceTemplates as { type: string }[]).map(({ type }) => type),
    ["LAMP"],
  );
});

test("a deleted register is gone with its devices, and its watchers are released", async () => {
  const doomed = await tenant.createRegister("Doomed");
  const inDoomed = { deviceRegisterId: doomed };
  await done("AddDevice", { ...inDoomed, device: meter });
  await done("Subscribe", { ...inDoomed, sessionId: "d" });
  await served.fetched(tenant.token, "d", 1);
  await tenant.delete("Doomed");
  const pushes = await served.fetched(tenant.token, "d", 1);
  assert.ok(
    pushes.some((push) => push.type === "ReleasedDeviceRegisterPush" && push.deviceRegisterId === doomed),
  );
  assert.equal(await codeOf("ListDevices", inDoomed), "E_NOT_FOUND");
  const { kernel, registers } = served.test.cloud;
  await until("the end of the register", () => kernel.get("deviceRegister", doomed) === undefined);
  assert.equal(kernel.get("registerDevice", `${doomed}/meter-1`), undefined);
  assert.equal(await registers.get({ register: doomed, kind: "device", id: "meter-1" }), undefined);
  assert.equal(await registers.cursorOf(ownSource(doomed)), undefined);
});
