import type { Result, Row1 } from "./row.ts";

const template = { body: "template", answer: "template" } as const;
const templates = "/Tenants/:tenantId/Templates/:templateType";
const deviceTemplates = "/Tenants/:tenantId/DeviceTemplates/:deviceType";
const ofDevices = { fixed: { templateType: "device" } } as const;

/** Returns the path of a new template in a list. */
function within(list: string): NonNullable<Row1["created"]> {
  return ({ template: made }: Result, message) => {
    const { id } = made as { readonly id: string };
    return `${list.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(message[name])))}/${id}`;
  };
}

const one = { answer: "tenant" } as const;

/** Tenants: `Active` is the one whose subscriptions the caller lists. */
export const tenants: readonly Row1[] = [
  { method: "GET", path: "/Tenants", type: "ListTenantQuery", query: "page" },
  { method: "POST", path: "/Tenants", type: "CreateTenantCommand", body: "message", ...one },
  { method: "GET", path: "/Tenants/Active", type: "GetActiveTenantQuery", ...one },
  { method: "PUT", path: "/Tenants/Active", type: "SetActiveTenantCommand", body: "message" },
  { method: "GET", path: "/Tenants/:tenantId", type: "GetTenantQuery", ...one },
  { method: "GET", path: templates, type: "ListTemplatesTenantQuery", answer: "templates" },
  {
    method: "POST",
    path: templates,
    type: "AddTemplateTenantCommand",
    ...template,
    created: within(templates),
  },
  { method: "PUT", path: `${templates}/:templateId`, type: "UpdateTemplateTenantCommand", ...template },
  { method: "DELETE", path: `${templates}/:templateId`, type: "RemoveTemplateTenantCommand" },
  {
    method: "POST",
    path: deviceTemplates,
    type: "AddTemplateTenantCommand",
    ...ofDevices,
    ...template,
    created: within(deviceTemplates),
  },
  {
    method: "PUT",
    path: `${deviceTemplates}/:templateId`,
    type: "UpdateTemplateTenantCommand",
    ...ofDevices,
    ...template,
  },
  {
    method: "DELETE",
    path: `${deviceTemplates}/:templateId`,
    type: "RemoveTemplateTenantCommand",
    ...ofDevices,
  },
  // The path that the id of a tenant is.
  { method: "GET", path: "/Tenant/:tenantId", type: "GetTenantQuery", ...one },
];
