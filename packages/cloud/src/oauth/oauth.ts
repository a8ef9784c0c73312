import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@ledge/host/logger";
import { type Clock, KernelError } from "@ledge/kernel";
import { addressKey, Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import type { Provider } from "oidc-provider";
import type { Cloud } from "../cloud.ts";
import type { Allowances } from "../http/allowances.ts";
import type { Origin } from "../http/caller-address.ts";
import type { CloudMail } from "../mail/cloud-mail.ts";
import { formIn } from "./form.ts";
import { answerInteraction } from "./interactions.ts";
import { namesAt, oauthPath } from "./names.ts";
import { makeProvider, type OAuthLibrary, type ProviderParts } from "./provider.ts";

export interface OAuthOptions {
  readonly cloud: ProviderParts & Pick<Cloud, "signingKeys" | "logins" | "directory">;
  readonly mail: Pick<CloudMail, "placeForLogin" | "login">;
  readonly allowances: Pick<Allowances, "request" | "verify" | "holder" | "caller" | "email">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the URL (without a path) under which people reach the cloud. */
  readonly address: () => string;
}

/** Where RFC 8414 wants the metadata of an issuer with a path. */
const metadataPath = `/.well-known/oauth-authorization-server${oauthPath}`;

/** Returns whether a request is for the OAuth2 server. */
export function isOAuth(url: string): boolean {
  const path = url.split("?", 1)[0] ?? "";
  return path.startsWith(`${oauthPath}/`) || path === metadataPath;
}

/** The library's server for one set of keys. */
interface Running {
  readonly of: string;
  readonly library: OAuthLibrary;
  readonly provider: Provider;
  readonly callback: ReturnType<Provider["callback"]>;
}

/**
 * The OAuth2 server of a cloud, below `/oauth2`. Keys are fixed in the library's server: when they change, the
 * next request gets a new one, and requests under way end with theirs.
 */
export class OAuth {
  readonly #options: OAuthOptions;
  #running: Running | undefined;

  constructor(options: OAuthOptions) {
    this.#options = options;
  }

  /** Answers a request; see `isOAuth`. */
  async handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { address }: Pick<Origin, "address">,
  ): Promise<void> {
    try {
      const refused = await this.#answer(incoming, outgoing, address);
      if (refused !== undefined) refuse(outgoing, refused);
    } catch (error) {
      // Whoever has left in the middle of a body gets no answer.
      if (incoming.destroyed && !incoming.complete) return;
      if (!(error instanceof KernelError)) this.#options.logger.error({ error }, "a request failed");
      const status = error instanceof KernelError ? 503 : 500;
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, new Refused(status, "the request could not be answered"));
    }
  }

  async #answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    address: string,
  ): Promise<Refused | undefined> {
    const { allowances, clock } = this.#options;
    const { url = "", method = "GET" } = incoming;
    if (url.length > limits.oauthUrlChars) return new Refused(414, "the address of the request is too long");
    const announced = Number(incoming.headers["content-length"] ?? 0);
    if (announced > limits.oauthBodyBytes) return new Refused(413, "the body is too large");
    const path = url.split("?", 1)[0] ?? "";
    const now = clock.monotonic();
    // Whatever else is sent comes from a client that must prove who it is; the library ignores case in paths.
    if (method === "POST" && !isInteraction(path)) return this.#token(incoming, outgoing, address, now);
    const isOpen = path.includes("/.well-known/") || path === `${oauthPath}/jwks`;
    const tooMany = allowances.request(isOpen ? "open" : "act", address, now);
    if (tooMany !== undefined) return tooMany;
    if (isInteraction(path)) return this.#interact(incoming, outgoing, address);
    // A page that sends itself would need a script.
    if (new URL(url, "http://cloud").searchParams.get("response_mode") === "form_post")
      return new Refused(400, "the response mode form_post is not supported");
    await this.#pass(incoming, outgoing);
    return undefined;
  }

  /**
   * Answers a client. One that is known takes nothing of what its address may guess, as many may share one; all of
   * them together are bounded.
   */
  async #token(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    address: string,
    now: number,
  ): Promise<Refused | undefined> {
    const { allowances } = this.#options;
    const tooMany = allowances.holder(`oauth2 ${addressKey(address)}`, now);
    if (tooMany !== undefined) return tooMany;
    const answered = await allowances.verify(address, now, async () => {
      await this.#pass(incoming, outgoing);
      const isWrong = outgoing.statusCode >= 400 && outgoing.statusCode < 500;
      return isWrong ? new Refused(outgoing.statusCode, "") : true;
    });
    return answered === true || outgoing.headersSent ? undefined : answered;
  }

  async #interact(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    address: string,
  ): Promise<Refused | undefined> {
    const { method = "GET" } = incoming;
    if (method !== "GET" && method !== "POST") return new Refused(405, "only GET and POST");
    const form = method === "POST" ? await formIn(incoming, limits.oauthBodyBytes) : undefined;
    if (form instanceof Refused) return form;
    const { cloud, mail, allowances, clock } = this.#options;
    const parts = { cloud, mail, allowances, now: () => clock.monotonic() };
    const visit = { incoming, outgoing, address, form };
    await answerInteraction(await this.#current(), visit, parts);
    return undefined;
  }

  /** Passes a request to the library, and waits for the end of the answer. */
  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = "" } = incoming;
    const isMetadata = url.startsWith(metadataPath);
    incoming.url = isMetadata ? "/.well-known/oauth-authorization-server" : url.slice(oauthPath.length);
    Object.assign(incoming, { originalUrl: `${oauthPath}${incoming.url}` });
    // The library names its endpoints by what the caller has called, which may be anything.
    const { host, protocol } = new URL(this.#options.address());
    Object.assign(incoming.headers, { host, "x-forwarded-host": host });
    incoming.headers["x-forwarded-proto"] = protocol.slice(0, -1);
    const { callback } = await this.#current();
    await callback(incoming, outgoing);
  }

  async #current(): Promise<Running> {
    const library = await import("oidc-provider");
    const { cloud, address, logger } = this.#options;
    const keys = cloud.signingKeys.signing;
    const names = namesAt(address());
    const of = [names.issuer, ...keys.map(({ kid }) => kid)].join(" ");
    if (this.#running?.of === of) return this.#running;
    const jwks = keys.map(({ privateJwk, kid }) => ({ ...privateJwk, kid, alg: "EdDSA", use: "sig" }));
    const provider = makeProvider(library, names, jwks, cloud);
    provider.on("server_error", (_, error: Error) => logger.error({ error }, "OAuth2 failed"));
    // Koa would print it when a client is gone.
    (provider as NodeJS.EventEmitter).on("error", (error: Error) => logger.debug({ error }, "OAuth2 failed"));
    this.#running = { of, library, provider, callback: provider.callback() };
    return this.#running;
  }
}

function isInteraction(path: string): boolean {
  return path.startsWith(`${oauthPath}/interaction/`);
}

function refuse(outgoing: ServerResponse, { status, message, retryAfterS }: Refused): void {
  outgoing.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfterS !== undefined && { "retry-after": String(retryAfterS) }),
    ...(status === 413 && { connection: "close" }),
  });
  outgoing.end(JSON.stringify({ error: "invalid_request", error_description: message }));
}
