import type { Row1 } from "./row.ts";

const one = { answer: "tenant" } as const;

/** Tenants: `Active` is the one whose subscriptions the caller lists. */
export const tenants: readonly Row1[] = [
  { method: "GET", path: "/Tenants", type: "ListTenantQuery", query: "page" },
  { method: "POST", path: "/Tenants", type: "CreateTenantCommand", body: "message", ...one },
  { method: "GET", path: "/Tenants/Active", type: "GetActiveTenantQuery", ...one },
  { method: "PUT", path: "/Tenants/Active", type: "SetActiveTenantCommand", body: "message" },
  { method: "GET", path: "/Tenants/:tenantId", type: "GetTenantQuery", ...one },
  // The path that the id of a tenant is.
  { method: "GET", path: "/Tenant/:tenantId", type: "GetTenantQuery", ...one },
];
