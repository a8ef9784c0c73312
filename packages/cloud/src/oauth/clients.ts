import { reject, type Rejection } from "@ledge/model";
import { isSameDigest } from "../model/digest.ts";
import { actsAlone, type Client, type ClientAuth, clientEmail, clientEvents } from "../model/client.ts";
import type { OAuthScope } from "../model/oauth-scopes.ts";
import { isNative } from "../model/redirect-uri.ts";
import { refusalOf, timeOf } from "../model/submitting.ts";
import type { CloudParts } from "../parts.ts";
import { InvertedIndex } from "../process/inverted-index.ts";
import { publicKeyIn } from "./public-key.ts";
import type { Sharing } from "../hubs/sharing.ts";

/** A client to be made. How it proves who it is follows from `keys` and `isPublic`. */
export interface ClientRequest {
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly redirectUris: readonly string[];
  /** Public keys (RFC 7517), as they came. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  /** Whether everybody can read its program, so that it can keep no secret. */
  readonly isPublic: boolean;
}

/** A new client, or a new secret of one. The secret is told once; null for a client that has none. */
export interface MadeClient {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** Metadata of a client (OpenID Connect Dynamic Client Registration 1.0, section 2). */
export type ClientMetadata = Readonly<Record<string, unknown>> & { readonly client_id: string };

type Parts = Pick<CloudParts, "kernel" | "digests" | "newId" | "random">;

/** The clients of a cloud: programs that ask it for access tokens. */
export class Clients {
  readonly #parts: Parts;
  readonly #sharing: Pick<Sharing, "forget">;
  readonly #byTenant = new InvertedIndex();
  readonly #end: () => void;

  constructor(parts: Parts, sharing: Pick<Sharing, "forget">) {
    this.#parts = parts;
    this.#sharing = sharing;
    const { kernel } = parts;
    for (const [id] of kernel.all("client")) this.#put(id);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) if (clientEvents.has(type)) this.#put(id);
      },
    });
  }

  stop(): void {
    this.#end();
  }

  get(id: string): Client | undefined {
    return this.#parts.kernel.get("client", id);
  }

  /** Returns the clients of a tenant, the oldest first. */
  ofTenant(tenant: string): Client[] {
    return [...this.#byTenant.under(tenant)].flatMap((id) => this.get(id) ?? []);
  }

  /** Returns all clients. */
  all(): Client[] {
    return [...this.#parts.kernel.all("client")].map(([, client]) => client);
  }

  /**
   * Makes a client. One that can act alone gets an account with its id, which hubs and tenants list like any
   * user.
   * @param by id of the account that makes it, or `console`
   * @throws KernelError
   */
  async create(request: ClientRequest, by: string): Promise<MadeClient | Rejection> {
    const { kernel, newId } = this.#parts;
    const { isPublic, ...about } = request;
    const keys = about.keys.map(publicKeyIn);
    if (!keys.every((key) => key !== undefined))
      return reject("invalid", "each is a public key: Ed25519, P-256, or RSA of 2048 bits", "keys");
    if (isPublic && keys.length > 0) return reject("invalid", "a public client has no keys", "isPublic");
    const auth: ClientAuth = isPublic ? "none" : keys.length > 0 ? "key" : "secret";
    const id = newId();
    const clientSecret = auth === "secret" ? this.#newSecret() : null;
    const digest = clientSecret === null ? null : this.#digestOf(id, clientSecret);
    const email = clientEmail(id);
    const nickname = about.name;
    const account = actsAlone({ auth })
      ? [
          { type: "ADD_ACCOUNT", id, email },
          { type: "SAVE_PROFILE", id, nickname, phone: null },
        ]
      : [];
    const command = { type: "CREATE_CLIENT", id, ...about, keys, auth, digest };
    const refused = await refusalOf(kernel, originOf(by), command, ...account);
    return refused ?? { clientId: id, clientSecret };
  }

  /** Gives a client a new secret; the earlier one stays valid for a day. @throws KernelError */
  async rotate(id: string, by: string): Promise<MadeClient | Rejection> {
    const clientSecret = this.#newSecret();
    const digest = this.#digestOf(id, clientSecret);
    const command = { type: "ROTATE_CLIENT_SECRET", id, digest };
    return (await refusalOf(this.#parts.kernel, originOf(by), command)) ?? { clientId: id, clientSecret };
  }

  /**
   * Deletes a client with its access to hubs and tenants, and the clients that it has made for itself. Its tokens are
   * invalid from now on. An account that may not be forgotten, as something stands in its tenant, stays, and nobody
   * acts as it.
   * @throws KernelError
   */
  async delete(id: string, by: string): Promise<Rejection | undefined> {
    const { kernel } = this.#parts;
    const client = this.get(id);
    if (client === undefined) return reject("not-found", `there is no client ${id}`, "clientId");
    if (actsAlone(client)) {
      for (const own of this.ofTenant(id)) await this.delete(own.id, by);
      const refused = await this.#sharing.forget(id, originOf(by));
      // Not found: an earlier attempt was interrupted here.
      const isOver = refused === undefined || refused.rejected === "not-found";
      if (!isOver && refused.rejected !== "wrong-state") return refused;
    }
    return refusalOf(kernel, originOf(by), { type: "DELETE_CLIENT", id });
  }

  /** Returns whether a secret is one of the client's valid ones. */
  isSecret(id: string, secret: string): boolean {
    const now = timeOf(this.#parts.kernel);
    const digest = this.#digestOf(id, secret);
    const held = this.get(id)?.clientSecrets ?? [];
    return held.some((one) => (one.until === null || one.until > now) && isSameDigest(one.digest, digest));
  }

  /** Returns the metadata of a client, as OAuth2 names them. */
  metadataOf(id: string): ClientMetadata | undefined {
    const client = this.get(id);
    if (client === undefined) return undefined;
    const { name, scopes, redirectUris, auth, keys } = client;
    const forPeople = redirectUris.length > 0;
    return {
      client_id: id,
      client_name: name,
      application_type: redirectUris.some(isNative) ? "native" : "web",
      redirect_uris: [...redirectUris],
      response_types: forPeople ? ["code"] : [],
      grant_types: [
        ...(forPeople ? ["authorization_code", "refresh_token"] : []),
        ...(actsAlone(client) ? ["client_credentials"] : []),
      ],
      scope: scopes.join(" "),
      token_endpoint_auth_method: methods[auth],
      id_token_signed_response_alg: "EdDSA",
      // Secrets are compared by digest; one must be named all the same.
      ...(auth === "secret" && { client_secret: "kept as a digest" }),
      ...(auth === "key" && { jwks: { keys: keys.map((key) => ({ ...key })) } }),
    };
  }

  #newSecret(): string {
    return Buffer.from(this.#parts.random(32)).toString("base64url");
  }

  #digestOf(id: string, secret: string): string {
    return this.#parts.digests.of("client", id, secret);
  }

  #put(id: string): void {
    const client = this.get(id);
    this.#byTenant.put(id, client === undefined ? [] : [client.tenant]);
  }
}

const methods = {
  secret: "client_secret_basic",
  key: "private_key_jwt",
  none: "none",
} as const satisfies Record<ClientAuth, string>;

function originOf(by: string): "console" | `user:${string}` {
  return by === "console" ? by : `user:${by}`;
}
