// Tenants, subscriptions, resource groups and resources (platform-api 4.4).
import type { Chapter, Step } from "./test-steps.ts";

const long = "x".repeat(51);
const main = { id: "{new}", displayName: "Main", content: { a: 1, b: 2 } };
const deleted = (ask: string): Step => ({ ask, status: 200, has: { title: "Deleted" } });

/** Steps that replace a template whole. */
function replaced(one: string, list: Step): Step[] {
  return [
    { ask: `PUT ${one}`, body: { displayName: "Other", content: { c: 3 } }, status: 200 },
    list,
    { ask: `PUT ${one}`, body: { displayName: "Other" }, status: 422 },
    { ask: `PUT ${one}`, body: { content: {} }, status: 422 },
    { ask: `PUT ${one}x`, body: { displayName: "Other", content: {} }, status: 404 },
  ];
}

const templates = "/Tenants/{account}/Templates/schema";
const forDevices = "/Tenants/{account}/DeviceTemplates/{new}";
const inRegisters = "/Registers/{hub}/Templates/{new}";
const changed = { id: "{new}", displayName: "Other", content: { c: 3 }, revision: 2, isDefault: false };

export const tenants: Chapter = {
  GetActiveTenant: [
    {
      ask: "GET /Tenants/Active",
      status: 200,
      is: { id: "/Tenant/{account}", tenantId: "{account}", displayName: "Personal" },
    },
  ],
  SetActiveTenant: [
    { ask: "PUT /Tenants/Active", body: { tenantId: "acme" }, status: 200 },
    { ask: "GET /Tenants/Active", status: 200, has: { tenantId: "acme", displayName: "Acme" } },
    { ask: "PUT /Tenants/Active", body: { tenantId: "{account}" }, status: 200 },
    { ask: "PUT /Tenants/Active", body: {}, status: 422 },
    { ask: "PUT /Tenants/Active", body: { tenantId: "" }, status: 422 },
    { ask: "PUT /Tenants/Active", body: { tenantId: long }, status: 422 },
    { ask: "PUT /Tenants/Active", body: { tenantId: "x" }, status: 404 },
    { ask: "PUT /Tenants/Active", body: { tenantId: long.slice(1) }, status: 404 },
    { ask: "PUT /Tenants/Active", body: { tenantId: "{account}" }, as: "stranger", status: 404 },
  ],
  "a switch of the active tenant needs a new access token": [
    { ask: "GET /Tenants/Active", as: "access", status: 200, has: { tenantId: "{account}" } },
    { ask: "PUT /Tenants/Active", body: { tenantId: "acme" }, as: "access", status: 200 },
    { ask: "GET /Tenants/Active", as: "access", status: 200, has: { tenantId: "{account}" } },
    { ask: "GET {group}", as: "access", status: 200 },
    {
      ask: "GET /Subscriptions?pageSize=2000",
      as: "access",
      status: 200,
      has: { data: [{ id: "/Subscriptions/{account}" }] },
    },
    { ask: "GET /Tenants/Active", as: "access later", status: 200, has: { tenantId: "acme" } },
    { ask: "GET {group}", as: "access later", status: 404 },
    { ask: "GET /Subscriptions", as: "access later", status: 200, count: 0 },
    { ask: "PUT /Tenants/Active", body: { tenantId: "{account}" }, status: 200 },
  ],
  "list tenants": [
    { ask: "GET /Tenants", status: 200, count: 2, has: { links: { next: null, prev: null } } },
    { ask: "GET /Tenants?pageSize=1", status: 200, count: 1, keep: { one: "data.0.id", next: "links.next" } },
    {
      ask: "GET /Tenants?pageSize=1&next={next}",
      status: 200,
      count: 1,
      keep: { prev: "links.prev", other: "data.0.id" },
    },
    { ask: "GET /Tenants", status: 200, lists: ["{one}", "{other}"] },
    { ask: "GET /Tenants?pageSize=1&prev={prev}", status: 200, lists: ["{one}"] },
    { ask: "GET /Tenants?next=none", status: 422 },
    { ask: "GET /Tenants?prev=none", status: 422 },
  ],
  CreateTenant: [
    { ask: "POST /Tenants", body: { displayName: "New" }, as: "internal", status: 200, keep: { id: "id" } },
    { ask: "GET {id}", as: "internal", status: 200, has: { displayName: "New" } },
    { ask: "POST /Tenants", body: {}, as: "internal", status: 422 },
    { ask: "POST /Tenants", body: { displayName: "New" }, status: 403 },
    { ask: "POST /Tenants", body: { displayName: "New" }, as: "access", status: 403 },
  ],
  "get tenant": [
    {
      ask: "GET /Tenants/acme",
      status: 200,
      is: { id: "/Tenant/acme", tenantId: "acme", displayName: "Acme" },
    },
    { ask: "GET /Tenant/acme", status: 200, has: { tenantId: "acme" } },
    { ask: "GET /Tenants/acme", as: "stranger", status: 404 },
    { ask: "GET /Tenants/none", status: 404 },
  ],
  GetTenantTemplates: [
    { ask: `POST ${templates}`, body: main, status: 201 },
    { ask: `GET ${templates}`, status: 200, has: [{ ...main, revision: 1 }] },
    { ask: "GET /Tenants/{account}/Templates/none", status: 422 },
    { ask: "GET /Tenants/{account}/Templates/device", status: 200 },
    { ask: `GET ${templates}`, as: "stranger", status: 404 },
    deleted(`DELETE ${templates}/{new}`),
  ],
  AddTenantTemplate: [
    { ask: `POST ${templates}`, body: main, status: 201, headers: { location: `/1.0${templates}/{new}` } },
    { ask: `POST ${templates}`, body: main, status: 409 },
    { ask: "POST /Tenants/{account}/Templates/device", body: main, status: 422 },
    deleted(`DELETE ${templates}/{new}`),
  ],
  UpdateTenantTemplate: [
    { ask: `POST ${templates}`, body: main, status: 201 },
    ...replaced(`${templates}/{new}`, { ask: `GET ${templates}`, status: 200, is: [changed] }),
    deleted(`DELETE ${templates}/{new}`),
  ],
  DeleteTenantTemplate: [
    { ask: `POST ${templates}`, body: main, status: 201 },
    { ask: `DELETE /Tenants/{account}/Templates/dashboard/{new}`, status: 404 },
    deleted(`DELETE ${templates}/{new}`),
    { ask: `DELETE ${templates}/{new}`, status: 404 },
    { ask: `GET ${templates}`, status: 200, is: [] },
  ],
  AddTenantDeviceTemplate: [
    { ask: `POST ${forDevices}`, body: { ...main, setAsDefault: true }, status: 201 },
    {
      ask: `GET ${inRegisters}`,
      status: 200,
      has: { type: "{new}", defaultTemplateId: "{new}", templates: [{ ...main, revision: 1 }] },
    },
  ],
  UpdateTenantDeviceTemplate: [
    { ask: `POST ${forDevices}`, body: main, status: 201 },
    ...replaced(`${forDevices}/{new}`, {
      ask: `GET ${inRegisters}`,
      status: 200,
      is: { type: "{new}", defaultTemplateId: null, templates: [changed] },
    }),
    {
      ask: "PUT /Tenants/{account}/DeviceTemplates/other/{new}",
      body: { displayName: "Other", content: {} },
      status: 404,
    },
  ],
  DeleteTenantDeviceTemplate: [
    { ask: `POST ${forDevices}`, body: main, status: 201 },
    { ask: "DELETE /Tenants/{account}/DeviceTemplates/other/{new}", status: 404 },
    deleted(`DELETE ${forDevices}/{new}`),
    { ask: `GET ${inRegisters}`, status: 200, has: { templates: [] } },
  ],
  "templates for devices are there for all registers of the tenant": [
    { ask: `POST ${forDevices}`, body: main, status: 201 },
    { ask: "GET /Registers/{hub}/Templates/{new}", status: 200, has: { templates: [{ id: "{new}" }] } },
    { ask: "GET /Registers/{register}/Templates/{new}", status: 200, has: { templates: [{ id: "{new}" }] } },
  ],
};

const offices = { displayName: "Offices", tags: { city: "Turku" } };
const subscription: Step = {
  ask: "POST /Subscriptions",
  body: offices,
  status: 201,
  keep: { sub: "id", subscriptionId: "subscriptionId" },
};
const newGroup: Step = {
  ask: "POST /Subscriptions/{account}/ResourceGroups",
  body: { name: "{new}", location: "Turku", tags: { a: "1" } },
  status: 201,
  keep: { made: "id" },
};
const newResource: Step = {
  ask: "POST {group}/Resources",
  body: { name: "{new}", provider: "Vendor.Sites", tags: { a: "1" }, init: { displayName: "House" } },
  status: 201,
  keep: { made: "id", siteId: "properties.siteId" },
};

export const subscriptions: Chapter = {
  "list subscriptions": [
    subscription,
    { ask: "GET /Subscriptions?pageSize=1", status: 200, count: 1, keep: { next: "links.next" } },
    { ask: "GET /Subscriptions?pageSize=1&next={next}", status: 200, count: 1, keep: { prev: "links.prev" } },
    { ask: "GET /Subscriptions?pageSize=1&prev={prev}", status: 200, count: 1 },
    deleted("DELETE {sub}"),
  ],
  "create subscription": [
    { ...subscription, headers: { location: "/1.0/Subscriptions/" }, has: offices },
    { ask: "POST /Subscriptions", body: {}, status: 422 },
    { ask: "POST /Subscriptions", body: offices, as: "stranger", status: 201 },
    deleted("DELETE {sub}"),
  ],
  "get subscription": [
    subscription,
    { ask: "GET {sub}", status: 200, is: { id: "{sub}", subscriptionId: "{subscriptionId}", ...offices } },
    { ask: "GET {sub}", as: "stranger", status: 404 },
    { ask: "GET /Subscriptions/none", status: 404 },
    deleted("DELETE {sub}"),
  ],
  "delete subscription": [
    subscription,
    { ask: "POST {sub}/ResourceGroups", body: { name: "inside" }, status: 201 },
    deleted("DELETE {sub}"),
    { ask: "GET {sub}", status: 404 },
    { ask: "GET {sub}/ResourceGroups", status: 404 },
    { ask: "DELETE {sub}", status: 404 },
    { ask: "DELETE /Subscriptions/{account}", status: 409 },
  ],
};

export const resourceGroups: Chapter = {
  "list resource groups": [
    newGroup,
    { ask: "GET /Subscriptions/{account}/ResourceGroups?pageSize=1", status: 200, count: 1 },
    { ask: "GET /Subscriptions/none/ResourceGroups", status: 404 },
  ],
  "create resource group": [
    { ...newGroup, has: { name: "{new}", location: "Turku", tags: { a: "1" } } },
    { ...newGroup, status: 409, keep: {} },
    { ask: "POST /Subscriptions/{account}/ResourceGroups", body: { location: "Turku" }, status: 422 },
  ],
  "get resource group": [
    newGroup,
    {
      ask: "GET {made}",
      status: 200,
      is: { id: "{made}", name: "{new}", location: "Turku", tags: { a: "1" } },
    },
    { ask: "GET {made}", as: "stranger", status: 404 },
    { ask: "GET {made}x", status: 404 },
  ],
  "delete resource group": [
    newGroup,
    { ask: "POST {made}/Resources", body: { name: "inside", provider: "Vendor.Sites" }, status: 201 },
    deleted("DELETE {made}"),
    { ask: "GET {made}/Resources/inside", status: 404 },
    { ask: "DELETE {made}", status: 404 },
  ],
};

export const resourcesIn: Chapter = {
  "create resource": [
    { ...newResource, has: { name: "{new}", type: "Vendor.Sites", displayName: "House", tags: { a: "1" } } },
    { ask: "GET /Sites/{siteId}", status: 200, has: { displayName: "House" } },
    { ...newResource, status: 409, keep: {} },
    { ask: "POST {group}/Resources", body: { name: "{new}" }, status: 422 },
  ],
  "delete resource": [
    newResource,
    { ask: "DELETE {group}/Providers/Vendor.DeviceRegister/{new}", status: 404 },
    deleted("DELETE {group}/Providers/Vendor.Sites/{new}"),
    { ask: "GET {made}", status: 404 },
    { ask: "GET /Sites/{siteId}", status: 404 },
  ],
  "list resources": [
    newResource,
    { ask: "GET {group}/Resources?pageSize=1", status: 200, count: 1 },
    { ask: "GET {group}/Resources", as: "stranger", status: 404 },
  ],
  "get resource": [
    newResource,
    { ask: "GET {group}/Resources/{new}", status: 200, has: { id: "{made}", name: "{new}" } },
    { ask: "GET {made}", status: 200, has: { id: "{made}", name: "{new}" } },
    { ask: "GET {group}/Resources/none", status: 404 },
  ],
};
