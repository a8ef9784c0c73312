/** Limits of OAuth2 and its clients at the cloud; part of `limits`. */
export const oauthLimits = {
  /** How long what the cloud issues is valid. */
  accessTokenMs: 600_000,
  authorizationCodeMs: 60_000,
  idTokenMs: 3_600_000,
  refreshTokenMs: 2_592_000_000,
  /** How long a person's consent holds, and how long a browser stays logged in. */
  oauthGrantMs: 31_536_000_000,
  oauthSessionMs: 1_209_600_000,
  /** How long a person may take to log in and to consent. */
  oauthInteractionMs: 3_600_000,
  /** What is kept of one account or one client, and of all who are not logged in yet; the oldest goes. */
  oauthArtifactsPerOwner: 500,
  oauthArtifactsOfNobody: 20_000,
  /** How often what has expired is removed, and how much of it in one commit. */
  oauthSweepMs: 60_000,
  oauthSweptAtOnce: 1000,
  /** The largest form that is read, and the longest address of a request. */
  oauthBodyBytes: 16_384,
  oauthUrlChars: 8192,
  /** Clients of the cloud, and of one tenant. */
  clients: 100_000,
  clientsPerTenant: 200,
  clientRedirectUris: 16,
  clientRedirectUriChars: 512,
  clientKeys: 4,
  /** How long the earlier secret of a client is valid beside a new one. */
  clientSecretOverlapMs: 86_400_000,
} as const;
