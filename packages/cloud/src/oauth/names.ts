/** The path of the OAuth2 server; its issuer is the cloud's address with it. */
export const oauthPath = "/oauth2";

/** Names of the OAuth2 server and of what its tokens are for, below the cloud's address. */
export interface OAuthNames {
  readonly issuer: string;
  readonly audience: string;
}

/** @param address of the cloud, without a path */
export function namesAt(address: string): OAuthNames {
  const { origin } = new URL(address);
  return { issuer: `${origin}${oauthPath}`, audience: `${origin}/platform` };
}
