/** The scopes for what is at the platform. They only narrow the rights that a caller has. */
export const platformScopes = [
  "platform.read",
  "platform.write",
  "devices.read",
  "devices.control",
  "internal",
] as const;
export type PlatformScope = (typeof platformScopes)[number];

/** The scopes of OpenID Connect: who somebody is, and tokens that last (OpenID Connect Core 1.0). */
export const identityScopes = ["openid", "email", "offline_access"] as const;

/** All scopes. */
export const oauthScopes = [...identityScopes, ...platformScopes] as const;
export type OAuthScope = (typeof oauthScopes)[number];

/** How far an access token reaches. */
export interface Access {
  /** The only tenant of which it lets anything be seen. */
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
}
