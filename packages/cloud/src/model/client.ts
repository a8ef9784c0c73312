import { type Decision, defineEvent, type EventOf, limits, orNull, personal, reject } from "@ledge/model";
import Type from "typebox";
import { isAccount } from "./account.ts";
import { type OAuthScope, oauthScopes } from "./oauth-scopes.ts";
import { redirectProblem } from "./redirect-uri.ts";
import { type Jwk, JwkRecord } from "./signing-key.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** How a client proves who it is: by a secret, by a key of its own, or not at all. */
export const clientAuths = ["secret", "key", "none"] as const;
export type ClientAuth = (typeof clientAuths)[number];

/** A secret of a client. */
export interface ClientSecret {
  /** Keyed digest. */
  readonly digest: string;
  /** When it ends, ms since the epoch; null for the newest one. */
  readonly until: number | null;
}

/**
 * A program that asks for access tokens (RFC 6749 2): on its own, as the account with its id, or for people
 * whom it sends to the cloud.
 */
export interface Client {
  readonly id: string;
  /** The tenant that owns it. */
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  /** Where people are sent with their code; empty for a machine. */
  readonly redirectUris: readonly string[];
  readonly auth: ClientAuth;
  /** Public keys, where `auth` is `key`. */
  readonly keys: readonly Jwk[];
  /** The newest first, where `auth` is `secret`. */
  readonly clientSecrets: readonly ClientSecret[];
  readonly createdAt: number;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    client: Client;
  }
}

/** What a client is made of. */
const About = {
  tenant: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...oauthScopes])),
  redirectUris: Type.Array(Type.String()),
  auth: Type.Enum([...clientAuths]),
  keys: Type.Array(JwkRecord),
  /** Of the secret, where `auth` is `secret`. */
  digest: orNull(Type.String()),
};
export type NewClient = Type.Static<Type.TObject<typeof About>>;

export type ClientCommand =
  | ({ type: "CREATE_CLIENT"; id: string } & NewClient)
  /** The earlier secret stays valid for `limits.clientSecretOverlapMs`. */
  | { type: "ROTATE_CLIENT_SECRET"; id: string; digest: string }
  | { type: "DELETE_CLIENT"; id: string };

const ClientCreated = personal(defineEvent("ClientCreated", 1, About), { name: "" });
const ClientSecretRotated = defineEvent("ClientSecretRotated", 1, {
  digest: Type.String(),
  /** Until when the earlier secret is valid (ms). */
  until: Type.Integer(),
});
const ClientDeleted = defineEvent("ClientDeleted", 1, {});

export type ClientEvent =
  | EventOf<typeof ClientCreated>
  | EventOf<typeof ClientSecretRotated>
  | EventOf<typeof ClientDeleted>;

/** The types of the events that change which clients there are. */
export const clientEvents: ReadonlySet<string> = new Set([ClientCreated.type, ClientDeleted.type]);

export const client: CloudDecider<Client, ClientCommand, ClientEvent> = {
  kind: "client",
  commands: ["CREATE_CLIENT", "ROTATE_CLIENT_SECRET", "DELETE_CLIENT"],
  events: [ClientCreated, ClientSecretRotated, ClientDeleted],
  personal: { name: "" },

  target: ({ id }) => id,

  decide(command, state, world) {
    if (command.type === "CREATE_CLIENT") return created(command, state, world);
    const { id } = command;
    if (state === undefined) return reject("not-found", `there is no client ${id}`, "clientId");
    if (command.type === "DELETE_CLIENT") return [{ type: "ClientDeleted", id }];
    if (state.auth !== "secret")
      return reject("wrong-state", "this client has no secret: it proves itself otherwise", "clientId");
    const until = world.now + limits.clientSecretOverlapMs;
    return [{ type: "ClientSecretRotated", id, digest: command.digest, until }];
  },

  evolve(state, event, timestamp) {
    switch (event.type) {
      case "ClientCreated": {
        const { id, tenant, name, scopes, redirectUris, auth, keys, digest } = event;
        const clientSecrets = digest === null ? [] : [{ digest, until: null }];
        const about = { id, tenant, name, scopes, redirectUris, auth, keys };
        return { ...about, clientSecrets, createdAt: timestamp, timestamp };
      }
      case "ClientSecretRotated": {
        if (state === undefined) return undefined;
        const [newest] = state.clientSecrets;
        const earlier = newest === undefined ? [] : [{ digest: newest.digest, until: event.until }];
        const clientSecrets = [{ digest: event.digest, until: null }, ...earlier];
        return { ...state, clientSecrets, timestamp };
      }
      case "ClientDeleted":
        return undefined;
    }
  },
};

/** Returns the address of the account of a client. No mail reaches it (RFC 2606 2). */
export function clientEmail(id: string): string {
  return `client-${id}@service.invalid`;
}

/** Returns whether a client may ask for tokens on its own, as the account with its id. */
export function actsAlone({ auth }: Pick<Client, "auth">): boolean {
  return auth !== "none";
}

function created(
  { id, ...about }: Extract<ClientCommand, { type: "CREATE_CLIENT" }>,
  state: Client | undefined,
  world: CloudWorld,
): Decision<ClientEvent> {
  const { type: _, ...made } = about;
  const { tenant, redirectUris, auth, keys, digest } = made;
  if (state !== undefined) return reject("wrong-state", "this id is taken", "clientId");
  if (world.get("tenant", tenant) === undefined && !isAccount(tenant, world))
    return reject("not-found", `there is no tenant ${tenant}`, "tenantId");
  if (world.size("client") >= limits.clients)
    return reject("wrong-state", `at most ${limits.clients} clients`, "limit");
  let held = 0;
  for (const [, one] of world.all("client")) if (one.tenant === tenant) held++;
  if (held >= limits.clientsPerTenant)
    return reject("wrong-state", `at most ${limits.clientsPerTenant} clients of a tenant`, "limit");
  const wrong = redirectUris.map(redirectProblem).find((problem) => problem !== undefined);
  if (wrong !== undefined) return reject("invalid", `an address of redirectUris ${wrong}`, "redirectUris");
  if (auth === "none" && redirectUris.length === 0)
    return reject(
      "invalid",
      "a client that proves nothing needs an address to send people to",
      "redirectUris",
    );
  if ((auth === "key") !== keys.length > 0 || (auth === "secret") !== (digest !== null))
    return reject("invalid", "a client has either a secret or keys", "keys");
  return [{ type: "ClientCreated", id, ...made }];
}
