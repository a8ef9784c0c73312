import type { Cloud } from "../cloud.ts";

/** Returns the tenant of a new access token: the one that is active for whom it stands. */
export function tenantOf(
  token: { readonly accountId?: string; readonly clientId?: string | undefined },
  { kernel, tenancy, clients }: Pick<Cloud, "kernel" | "tenancy" | "clients">,
): string {
  const { accountId, clientId = "" } = token;
  if (accountId !== undefined) return tenancy.activeTenantOf(accountId);
  const own = clients.get(clientId)?.tenant ?? clientId;
  const chosen = kernel.get("account", clientId)?.activeTenant ?? null;
  return chosen === null ? own : tenancy.activeTenantOf(clientId);
}
