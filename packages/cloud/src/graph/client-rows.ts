import { isRejection, limits, orNull, type Rejection } from "@ledge/model";
import Type from "typebox";
import { type Client, clientAuths } from "../model/client.ts";
import { identityScopes, oauthScopes, type OAuthScope, platformScopes } from "../model/oauth-scopes.ts";
import type { MadeClient } from "../oauth/clients.ts";
import type { GraphCaller } from "./caller.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { Failed, failedBy, failureIn, invalidFields } from "./errors.ts";
import { row } from "./row.ts";
import { DisplayName } from "./tenant-rows.ts";

/** A client of OAuth2. */
const GraphClient = Type.Object({
  clientId: Type.String(),
  tenantId: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...oauthScopes])),
  redirectUris: Type.Array(Type.String()),
  /** How it proves who it is. */
  auth: Type.Enum([...clientAuths]),
  /** Until when an earlier secret is valid beside the newest (ms); null when there is none. */
  earlierSecretUntil: orNull(Type.Integer()),
  /** ms since the epoch. */
  createdAt: Type.Integer(),
});

/** What a client gets once: nobody can read a secret later. */
const made = { clientId: Type.String(), clientSecret: orNull(Type.String()) };

/** Scopes that people may give to clients of their tenants; `internal` is the operator's. */
const grantable = [...identityScopes, ...platformScopes].filter((scope) => scope !== "internal");

/** A public key (RFC 7517). Members that are not listed are ignored. */
const Key = Type.Record(Type.String({ maxLength: limits.nameChars }), Type.Unknown());

/** Types about the clients of a tenant: programs that ask for access tokens. */
export const clientRows = [
  row({
    type: "ListClientQuery",
    summary: "Lists the clients of a tenant, without their secrets",
    scope: "tenant",
    right: "O",
    fields: pageFields,
    result: pageOf(GraphClient),
    handle({ fields, target: { tenant }, parts: { cloud, cursors } }) {
      const items = cloud.clients.ofTenant(tenant.id).map(clientObject);
      const placeOf = ({ clientId: id }: (typeof items)[number]) => ({ value: id, id });
      return cursors.page({ name: `clients ${tenant.id}`, items, placeOf }, fields);
    },
  }),
  row({
    type: "CreateClientCommand",
    summary: "Makes a client of a tenant; its secret is answered once",
    scope: "tenant",
    right: "O",
    addsToLog: true,
    fields: {
      name: DisplayName,
      scopes: Type.Array(Type.Enum(grantable), { minItems: 1, maxItems: grantable.length }),
      redirectUris: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: limits.clientRedirectUriChars }), {
          maxItems: limits.clientRedirectUris,
        }),
      ),
      keys: Type.Optional(Type.Array(Key, { maxItems: limits.clientKeys })),
      isPublic: Type.Optional(Type.Boolean()),
    },
    result: made,
    async handle({ caller, fields, target: { tenant }, parts: { cloud } }) {
      const { name, redirectUris = [], keys = [], isPublic = false } = fields;
      const scopes = fields.scopes as readonly OAuthScope[];
      const wider = widerScope(scopes, caller);
      if (wider !== undefined)
        return invalidFields([{ field: "scopes", message: `has ${wider}, which the caller's token lacks` }]);
      const about = { tenant: tenant.id, name, scopes: [...new Set(scopes)], redirectUris, keys, isPublic };
      return madeOr(await cloud.clients.create(about, caller.account));
    },
  }),
  row({
    type: "RotateSecretClientCommand",
    summary: "Gives a client a new secret, answered once; the earlier one is valid for another day",
    scope: "client",
    right: "O",
    addsToLog: true,
    result: made,
    async handle({ caller, target, parts: { cloud } }) {
      // Whoever gets the secret gets tokens with all of these.
      const wider = widerScope(target.scopes, caller);
      if (wider !== undefined)
        return new Failed("E_FORBIDDEN", `the client has ${wider}, which the caller's token lacks`, {
          scope: wider,
        });
      return madeOr(await cloud.clients.rotate(target.id, caller.account));
    },
  }),
  row({
    type: "DeleteClientCommand",
    summary: "Deletes a client with its access to hubs and tenants; its tokens are invalid at once",
    scope: "client",
    right: "O",
    handle: async ({ caller, target, parts: { cloud } }) =>
      failureIn(await cloud.clients.delete(target.id, caller.account)) ?? {},
  }),
];

/** Returns a scope of a client that reaches further than the token of the caller; undefined when none does. */
function widerScope(scopes: readonly OAuthScope[], { scopes: held }: GraphCaller): OAuthScope | undefined {
  const ofPlatform: ReadonlySet<string> = new Set(platformScopes);
  return held && scopes.find((scope) => ofPlatform.has(scope) && !held.has(scope));
}

function madeOr(answer: MadeClient | Rejection): MadeClient | Failed {
  return isRejection(answer) ? failedBy(answer) : answer;
}

function clientObject(client: Client): Type.Static<typeof GraphClient> {
  const {
    id: clientId,
    tenant: tenantId,
    name,
    scopes,
    redirectUris,
    auth,
    clientSecrets,
    createdAt,
  } = client;
  const earlierSecretUntil = clientSecrets[1]?.until ?? null;
  return {
    clientId,
    tenantId,
    name,
    scopes: [...scopes],
    redirectUris: [...redirectUris],
    auth,
    earlierSecretUntil,
    createdAt,
  };
}
