// The operations of the specification (platform-api 4.4) as data, and its other sentences there in words of our own.
const tenant = "/Tenants/:tenantId";
const subscription = "/Subscriptions/:subscriptionId";
export const group = `${subscription}/ResourceGroups/:resourceGroupName`;
const device = "/Registers/:deviceRegisterId/Devices/:deviceId";
const site = "/Sites/:siteId";

export type Line = readonly [operation: string, endpoint: string, fields?: readonly string[]];

/** An operation of the specification, its endpoint, and the fields that the specification names. */
export const operations: readonly Line[] = [
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

/** What else the specification says of them. */
export const rules: readonly string[] = [
  "a switch of the active tenant needs a new access token",
  "templates for devices are there for all registers of the tenant",
  "the metadata of a device says whether it is active, and its removal ends it",
  "an attribute whose value is set to null is removed",
  "a pattern finds one entity by its path, many by a glob, and all by an asterisk",
  "an entity is created under a parent that exists",
  "an entity moves when it has no children, the new parent exists and nothing is at the new path",
  "an empty schema allows nothing, and an asterisk allows anything",
  "the type of an egress target stays",
  "an egress target is enabled and disabled",
  "a site accepts templates for schemas and dashboards only",
  "a page has 50 devices when no size is said, and the others follow by the cursor next",
  "the order is that of ids when none is said",
  "lists are ordered by id, name, nativeId, serialnumber and type",
  "lists are ordered by who has created and modified a device",
  "descending reverses the order",
  "a search looks in every field except times",
  "each filter finds the devices with its value",
  "tags and capabilities are repeated, and a device has all of them",
  "a device matches all filters and the search",
];
