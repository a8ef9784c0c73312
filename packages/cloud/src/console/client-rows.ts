import { Id, limits } from "@ledge/model";
import Type from "typebox";
import { type Row, row } from "../http/row.ts";
import { oauthScopes } from "../model/oauth-scopes.ts";
import { clientsOf } from "./clients.ts";
import { accountNamed } from "./users.ts";

const OfClient = Type.Object({ clientId: Id });

/** What the console answers about the clients of OAuth2. */
export const clientRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/console/clients",
    who: "anyone",
    handle: ({ cloud }) => clientsOf(cloud),
  }),
  row({
    method: "POST",
    path: "/console/clients/create",
    who: "anyone",
    from: "json",
    fields: Type.Object({
      name: Type.String({ minLength: 1, maxLength: limits.displayNameChars, pattern: "\\S" }),
      /** The id of a tenant, or the address of an account for its personal one. */
      tenant: Type.String({ maxLength: limits.emailChars }),
      scopes: Type.Array(Type.Enum([...oauthScopes]), { minItems: 1, maxItems: oauthScopes.length }),
      redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: limits.clientRedirectUriChars }), {
        maxItems: limits.clientRedirectUris,
      }),
      keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: limits.clientKeys }),
      isPublic: Type.Boolean(),
    }),
    handle({ cloud, fields }) {
      const tenant = accountNamed(cloud, fields.tenant)?.id ?? fields.tenant;
      const scopes = [...new Set(fields.scopes)];
      return cloud.clients.create({ ...fields, tenant, scopes }, "console");
    },
  }),
  row({
    method: "POST",
    path: "/console/clients/rotate",
    who: "anyone",
    from: "json",
    fields: OfClient,
    handle: ({ cloud, fields }) => cloud.clients.rotate(fields.clientId, "console"),
  }),
  row({
    method: "POST",
    path: "/console/clients/delete",
    who: "anyone",
    from: "json",
    fields: OfClient,
    handle: async ({ cloud, fields }) => (await cloud.clients.delete(fields.clientId, "console")) ?? true,
  }),
];
