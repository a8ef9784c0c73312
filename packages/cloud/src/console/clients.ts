import type { Cloud } from "../cloud.ts";
import type { Client } from "../model/client.ts";

/** A client as the operator sees it. */
export interface ClientOverview extends Pick<
  Client,
  "name" | "scopes" | "redirectUris" | "auth" | "createdAt"
> {
  readonly clientId: string;
  readonly tenantId: string;
}

/** Returns all clients. */
export function clientsOf({ clients }: Pick<Cloud, "clients">): ClientOverview[] {
  return clients
    .all()
    .map(({ id: clientId, tenant: tenantId, name, scopes, redirectUris, auth, createdAt }) => ({
      clientId,
      tenantId,
      name,
      scopes,
      redirectUris,
      auth,
      createdAt,
    }));
}
