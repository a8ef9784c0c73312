import { limits } from "@ledge/model";
import type { Configuration, errors, JWK, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Cloud } from "../cloud.ts";
import { oauthScopes, platformScopes } from "../model/oauth-scopes.ts";
import { adapterOf } from "./adapter.ts";
import { type OAuthNames, oauthPath } from "./names.ts";
import { languageOf, languages } from "../model/languages.ts";
import { errorPage, policyOf } from "./pages.ts";
import { tenantOf } from "./token-tenant.ts";

/** What the provider needs of a cloud. */
export type ProviderParts = Pick<Cloud, "kernel" | "tenancy" | "clients" | "artifacts" | "digests">;

/** What is used of the library. It is loaded with the first request: many clouds get none. */
export interface OAuthLibrary {
  readonly Provider: typeof Provider;
  readonly errors: typeof errors;
}

/**
 * Makes the OAuth2 server of a cloud (RFC 6749, RFC 9700, OpenID Connect Core 1.0).
 * @param keys private halves; the first signs, and all are published
 */
export function makeProvider(
  library: OAuthLibrary,
  names: OAuthNames,
  keys: readonly JWK[],
  parts: ProviderParts,
): Provider {
  const { clients, artifacts, digests } = parts;
  const provider = new library.Provider(names.issuer, {
    adapter: (kind) => adapterOf(kind, artifacts, clients, library.errors),
    jwks: { keys: [...keys] },
    ...fixed,
    cookies: {
      keys: [digests.of("oauth", "cookies")],
      names: { session: "ledge_session", interaction: "ledge_interaction", resume: "ledge_resume" },
      long: { httpOnly: true, sameSite: "lax", path: oauthPath },
      short: { httpOnly: true, sameSite: "lax" },
    },
    features: { ...features, resourceIndicators: resourceAt(names.audience, library.errors) },
    extraTokenClaims: (_, token) => ({ tenant: tenantOf(token, parts) }),
    findAccount(_, id) {
      const account = parts.kernel.get("account", id);
      if (account === undefined || account.forgotten) return undefined;
      const { email, proven } = account;
      return { accountId: id, claims: () => ({ sub: id, email, email_verified: proven }) };
    },
  });
  // The headers of proxies are our own by then: see oauth.ts.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = function isSecret(secret: string): boolean {
    return clients.isSecret(this.clientId, secret);
  };
  return provider;
}

const seconds = (ms: number): number => ms / 1000;

/** What is the same in every cloud. */
const fixed = {
  scopes: [...oauthScopes],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  // There is no other place where a client could read them.
  conformIdTokenClaims: false,
  responseTypes: ["code"],
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
  clientDefaults: { id_token_signed_response_alg: "EdDSA", response_types: ["code"] },
  enabledJWA: {
    idTokenSigningAlgValues: ["EdDSA"],
    clientAuthSigningAlgValues: ["EdDSA", "Ed25519", "ES256", "PS256", "RS256"],
  },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: {
    AccessToken: seconds(limits.accessTokenMs),
    AuthorizationCode: seconds(limits.authorizationCodeMs),
    ClientCredentials: seconds(limits.accessTokenMs),
    Grant: seconds(limits.oauthGrantMs),
    IdToken: seconds(limits.idTokenMs),
    Interaction: seconds(limits.oauthInteractionMs),
    RefreshToken: seconds(limits.refreshTokenMs),
    Session: seconds(limits.oauthSessionMs),
  },
  discovery: { ui_locales_supported: [...languages] },
  interactions: { url: (_, { uid }) => `${oauthPath}/interaction/${uid}` },
  clientBasedCORS: (_, origin, { clientAuthMethod, redirectUris = [] }) =>
    clientAuthMethod === "none" && redirectUris.some((uri) => URL.parse(uri)?.origin === origin),
  renderError(ctx, { error }) {
    ctx.type = "html";
    ctx.set("content-security-policy", policyOf());
    ctx.body = errorPage(languageOf(ctx.get("accept-language")), error);
  },
} satisfies Configuration;

const features = {
  devInteractions: { enabled: false },
  clientCredentials: { enabled: true },
  revocation: { enabled: true },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
} as const satisfies Configuration["features"];

type Resources = NonNullable<NonNullable<Configuration["features"]>["resourceIndicators"]>;

/** All access tokens are for the platform, as JWT (RFC 8707, RFC 9068). */
function resourceAt(audience: string, { InvalidTarget }: OAuthLibrary["errors"]): Resources {
  return {
    enabled: true,
    defaultResource: () => audience,
    useGrantedResource: () => true,
    getResourceServerInfo(ctx, resource) {
      if (resource !== audience) throw new InvalidTarget();
      return {
        audience,
        scope: scopesOf(ctx).join(" "),
        accessTokenTTL: seconds(limits.accessTokenMs),
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: "EdDSA" } },
      };
    },
  };
}

/** Returns the scopes of the platform that a request may ask for: nobody may let a client operate it. */
function scopesOf({ oidc }: KoaContextWithOIDC): readonly string[] {
  const isAlone = oidc.params?.["grant_type"] === "client_credentials";
  return platformScopes.filter((scope) => isAlone || scope !== "internal");
}
