// Holds the operations of the specification (platform-api 4.4) against what is served, one line for each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { orders } from "@ledge/fleet";
import { schemaOf } from "../../graph/graph.ts";
import { graphRows } from "../../graph/rows.ts";
import { rows1 } from "../rows.ts";

const tenant = "/Tenants/:tenantId";
const subscription = "/Subscriptions/:subscriptionId";
const group = `${subscription}/ResourceGroups/:resourceGroupName`;
const device = "/Registers/:deviceRegisterId/Devices/:deviceId";
const site = "/Sites/:siteId";

type Line = readonly [operation: string, endpoint: string, fields?: readonly string[]];

/** An operation of the specification, its endpoint, and the fields that the specification names. */
const served: readonly Line[] = [
  ["GetActiveTenant", "GET /Tenants/Active"],
  ["SetActiveTenant", "PUT /Tenants/Active", ["tenantId"]],
  ["list tenants", "GET /Tenants", ["pageSize", "next", "prev"]],
  ["CreateTenant", "POST /Tenants", ["displayName"]],
  ["get tenant", `GET ${tenant}`, ["tenantId"]],
  ["GetTenantTemplates", `GET ${tenant}/Templates/:templateType`, ["tenantId", "templateType"]],
  ["AddTenantTemplate", `POST ${tenant}/Templates/:templateType`, ["template"]],
  ["UpdateTenantTemplate", `PUT ${tenant}/Templates/:templateType/:templateId`, ["templateId", "template"]],
  ["DeleteTenantTemplate", `DELETE ${tenant}/Templates/:templateType/:templateId`, ["templateId"]],
  ["AddTenantDeviceTemplate", `POST ${tenant}/DeviceTemplates/:deviceType`, ["deviceType", "template"]],
  ["UpdateTenantDeviceTemplate", `PUT ${tenant}/DeviceTemplates/:deviceType/:templateId`, ["template"]],
  ["DeleteTenantDeviceTemplate", `DELETE ${tenant}/DeviceTemplates/:deviceType/:templateId`, ["deviceType"]],

  ["list subscriptions", "GET /Subscriptions"],
  ["create subscription", "POST /Subscriptions", ["displayName", "tags"]],
  ["get subscription", `GET ${subscription}`, ["subscriptionId"]],
  ["delete subscription", `DELETE ${subscription}`, ["subscriptionId"]],
  ["list resource groups", `GET ${subscription}/ResourceGroups`, ["subscriptionId"]],
  ["create resource group", `POST ${subscription}/ResourceGroups`, ["name", "location", "tags"]],
  ["get resource group", `GET ${group}`, ["subscriptionId", "resourceGroupName"]],
  ["delete resource group", `DELETE ${group}`, ["subscriptionId", "resourceGroupName"]],
  ["create resource", `POST ${group}/Resources`, ["init", "name", "tags", "provider"]],
  [
    "delete resource",
    `DELETE ${group}/Providers/:resourceProvider/:resourceName`,
    ["resourceProvider", "resourceName"],
  ],
  ["list resources", `GET ${group}/Resources`, ["subscriptionId", "resourceGroupName"]],
  ["get resource", `GET ${group}/Resources/:resourceName`, ["resourceName"]],

  [
    "list devices",
    "GET /Registers/:deviceRegisterId/Devices",
    ["pageSize", "next", "prev", "orderBy", "descending", "search", "filters"],
  ],
  ["add device", "POST /Registers/:deviceRegisterId/Devices", ["device"]],
  ["register hub as gateway device", "POST /Registers/:deviceRegisterId/Hubs", ["hub"]],
  ["get device metadata", `GET ${device}`, ["deviceRegisterId", "deviceId"]],
  ["update device metadata", `PUT ${device}`, ["device"]],
  ["remove device", `DELETE ${device}`],
  ["send command to device", `POST ${device}/Commands`, ["command"]],
  ["send execute command to device", `POST ${device}/Execute`, ["payload"]],
  ["get latest reported state", `GET ${device}/State`],
  ["restart hub", `POST ${device}/Restart`],
  ["reboot hub", `POST ${device}/Reboot`],
  ["get hub users", `GET ${device}/Users`],
  ["invite hub user", `POST ${device}/Users`, ["email", "role"]],
  ["get hub user", `GET ${device}/Users/:userId`, ["userId"]],
  ["revoke hub user", `DELETE ${device}/Users/:userId`, ["userId"]],
  ["get all device templates", "GET /Registers/:deviceRegisterId/Templates"],
  [
    "get device templates of a type",
    "GET /Registers/:deviceRegisterId/Templates/:deviceType",
    ["deviceType"],
  ],
  ["get device configuration", `GET ${device}/Configuration`],
  ["update device configuration", `PUT ${device}/Configuration`, ["configuration"]],

  ["get site metadata", `GET ${site}`, ["siteId"]],
  ["update site partially", `PATCH ${site}`, ["displayName", "attributes"]],
  ["find entities", `GET ${site}/Entities`, ["globPattern", "next", "prev"]],
  ["create entity", `POST ${site}/Entities`, ["parentPath", "entity"]],
  ["update entity", `PATCH ${site}/Entities`, ["path", "entity"]],
  ["delete entity", `DELETE ${site}/Entities`, ["path"]],
  ["get properties", `GET ${site}/Properties`],
  ["replace properties", `PUT ${site}/Properties`, ["properties"]],
  ["get schema", `GET ${site}/Schema`],
  ["replace schema", `PUT ${site}/Schema`, ["schema"]],
  ["list egress targets", `GET ${site}/EgressTargets`, ["next", "prev"]],
  ["create egress target", `POST ${site}/EgressTargets`, ["target"]],
  ["get egress target", `GET ${site}/EgressTargets/:targetId`, ["targetId"]],
  ["update egress target", `PUT ${site}/EgressTargets/:targetId`, ["targetId", "target"]],
  ["delete egress target", `DELETE ${site}/EgressTargets/:targetId`, ["targetId"]],
  ["list site templates", `GET ${site}/Templates`, ["templateType"]],
  ["get site template", `GET ${site}/Templates/:templateId`, ["templateId"]],
];

const endpointOf = (endpoint: string): (typeof rows1)[number] | undefined =>
  rows1.find(({ method, path }) => `${method} ${path}` === endpoint);

test("each operation of the specification is served where the table says, and takes the fields that it names", () => {
  for (const [operation, endpoint, fields = []] of served) {
    const row1 = endpointOf(endpoint) ?? assert.fail(`${operation}: there is no ${endpoint}`);
    const row = graphRows.find(({ type }) => type === row1.type) ?? assert.fail(row1.type);
    const taken = schemaOf(row).properties;
    for (const field of fields) assert.ok(field in taken, `${operation}: ${row1.type} takes no ${field}`);
  }
});

test("no endpoint is served that the table does not have", () => {
  // The id of a tenant, and a resource by its id, are paths, too.
  const byId = ["GET /Tenant/:tenantId", `GET ${group}/Providers/:resourceProvider/:resourceName`];
  const known = new Set([...served.map(([, endpoint]) => endpoint), ...byId]);
  const more = rows1.map(({ method, path }) => `${method} ${path}`).filter((each) => !known.has(each));
  assert.deepEqual(more, []);
});

test("the limits are those of the specification", () => {
  const { pageSize, pageSizeMost, searchMinChars, searchMaxChars } = limits;
  assert.deepEqual([pageSize, pageSizeMost, searchMinChars, searchMaxChars], [50, 2000, 3, 100]);
  assert.deepEqual([limits.registerIdMinChars, limits.registerIdMaxChars], [3, 64]);
  assert.deepEqual([limits.resourceNameMinChars, limits.resourceNameMaxChars], [3, 50]);
  const { displayNameChars, tenantIdChars, siteEntityNameChars, templateIdChars, templateNameChars } = limits;
  assert.deepEqual([displayNameChars, tenantIdChars, siteEntityNameChars], [50, 50, 50]);
  assert.deepEqual([templateIdChars, templateNameChars, limits.deviceTextChars], [100, 100, 100]);
  assert.deepEqual([...orders].toSorted(), [
    "createdBy",
    "id",
    "modifiedBy",
    "name",
    "nativeId",
    "serialnumber",
    "type",
  ]);
});
