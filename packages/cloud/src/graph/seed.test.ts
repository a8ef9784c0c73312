// The seed of the platform API (platform-api 2, 4.4, 8) as data: limits, orders, filters and names of fields.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { graphDocument } from "./document.ts";
import { graphRows } from "./rows.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

const { components } = JSON.parse(JSON.stringify(graphDocument(graphRows))) as {
  components: { schemas: Record<string, Schema> };
};

/** Returns the schema of a field of a type. */
function fieldOf(type: string, ...path: readonly string[]): Schema {
  const found = path.reduce<Schema | undefined>(
    (at, name) => at?.properties?.[name],
    components.schemas[type],
  );
  return found ?? assert.fail(`${type} has no ${path.join(".")}`);
}

const list = "ListDevicesDeviceRegisterQuery";

test("limits are those of the seed", () => {
  const { minimum, maximum } = fieldOf(list, "pageSize");
  assert.deepEqual([minimum, maximum, limits.pageSize], [1, 2000, 50]);
  const { minLength, maxLength } = fieldOf(list, "search");
  assert.deepEqual([minLength, maxLength], [3, 100]);
  const register = fieldOf("GetDeviceRegisterQuery", "deviceRegisterId");
  assert.deepEqual(
    [register["minLength"], register["maxLength"], register["pattern"]],
    [3, 64, "^[A-Za-z0-9_-]+$"],
  );
  const session = fieldOf("SubscribeDeviceRegisterCommand", "sessionId");
  assert.deepEqual([session["minLength"], session["maxLength"]], [1, 128]);
  const added = fieldOf("AddDeviceDeviceRegisterCommand", "device", "id");
  assert.deepEqual([added["minLength"], added["maxLength"], added["pattern"]], [3, 50, "^([a-z0-9-_])+$"]);
  const serial = fieldOf("RegisterHubDeviceRegisterCommand", "hub", "serialNumber");
  assert.deepEqual([serial["minLength"], serial["maxLength"]], [2, 100]);
  for (const name of ["name", "nativeId", "serialNumber", "model", "manufacturer"])
    assert.equal(fieldOf("UpdateDeviceDeviceRegisterCommand", "device", name)["maxLength"], 100, name);
  assert.deepEqual(
    [limits.correlationIdChars, limits.fetchWaitMinS, limits.fetchWaitMaxS, limits.fetchWaitUsualS],
    [128, 1, 55, 25],
  );
});

test("a device list is ordered and filtered by the fields of the seed", () => {
  assert.deepEqual(fieldOf(list, "orderBy").enum, [
    "id",
    "name",
    "nativeId",
    "serialnumber",
    "type",
    "createdBy",
    "modifiedBy",
  ]);
  const filters = ["id", "name", "type", "nativeId", "serialNumber", "model", "manufacturer", "routing"];
  assert.deepEqual(
    Object.keys(fieldOf(list, "filters").properties ?? {}).toSorted(),
    [...filters, "tags", "capabilities"].toSorted(),
  );
  for (const name of ["next", "prev", "descending"]) assert.ok(fieldOf(list, name), name);
});

test("a register device has the fields of the seed", () => {
  const result = components.schemas["GetDeviceDeviceRegisterQueryResult"]?.anyOf?.[0];
  const device = result?.properties?.["device"]?.properties ?? {};
  for (const name of [
    "id",
    "isActive",
    "name",
    "type",
    "capabilities",
    "createdAt",
    "modifiedAt",
    "routing",
    "nativeId",
    "serialNumber",
    "model",
    "manufacturer",
    "tags",
  ])
    assert.ok(name in device, name);
});

test("roles of hub users are those of the seed", () => {
  assert.deepEqual(fieldOf("InviteUserHubCommand", "role").enum, [
    "OWNER",
    "ADMIN",
    "USER",
    "REMOTEGUEST",
    "GUEST",
    "ANONYMOUS",
  ]);
});
