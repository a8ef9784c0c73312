import type { HubOptions, HubRequest, HubUser } from "../api.ts";
import type { Connections } from "../connections.ts";
import { RefusedError } from "../errors.ts";
import { corsHeaders, isForeign, preflightHeaders } from "./cors.ts";
import { type Answer, type HttpRequest, jsonAnswer, textAnswer } from "./exchange.ts";
import { asksForStateful, negotiateAnswer, negotiateVersion } from "./negotiate.ts";

/** Answers the HTTP requests of a hub, and lets sockets in. */
export class Endpoint<User extends HubUser> {
  readonly #options: HubOptions<User>;
  readonly #connections: Connections<User>;
  readonly #path: string;

  constructor(options: HubOptions<User>, connections: Connections<User>) {
    this.#options = options;
    this.#connections = connections;
    this.#path = options.path.replace(/\/$/, "");
  }

  /** Whether a path belongs to the hub. */
  owns(path: string): boolean {
    return path === this.#path || path === `${this.#path}/` || path === `${this.#path}/negotiate`;
  }

  async answer(request: HttpRequest): Promise<Answer> {
    const { allowOrigin } = this.#options;
    const cors = corsHeaders(request, allowOrigin);
    const answer = await this.#answerFor(request);
    return { ...answer, headers: { ...answer.headers, ...cors } };
  }

  /** Who sends a request that is let in; otherwise the answer to it. */
  async admit(request: HubRequest): Promise<{ readonly user: User } | { readonly answer: Answer }> {
    const { authenticate, allowOrigin } = this.#options;
    if (isForeign(request, allowOrigin)) {
      const text = `pages of ${request.header("origin")} may not use this hub: see the option allowOrigin`;
      return { answer: textAnswer(403, text) };
    }
    try {
      if (authenticate === undefined) return { user: { id: "anonymous" } as User };
      const user = await authenticate(request);
      if (user !== undefined) return { user };
      return { answer: textAnswer(401, "no valid credential", { "www-authenticate": "Bearer" }) };
    } catch (error) {
      if (error instanceof RefusedError)
        return { answer: textAnswer(error.status, error.message, error.headers) };
      this.#connections.report(error);
      return { answer: textAnswer(500, "unexpected error") };
    }
  }

  async #answerFor(request: HttpRequest): Promise<Answer> {
    if (request.method === "OPTIONS") return { status: 204, headers: preflightHeaders };
    const admitted = await this.admit(request);
    if ("answer" in admitted) return admitted.answer;
    const { user } = admitted;
    if (request.url.pathname.endsWith("/negotiate")) return this.#negotiate(request, user);
    return textAnswer(405, "this path takes WebSockets only", { allow: "OPTIONS" });
  }

  async #negotiate(request: HttpRequest, user: User): Promise<Answer> {
    if (request.method !== "POST") return textAnswer(405, "negotiate with POST", { allow: "POST" });
    try {
      const redirect = await this.#options.redirect?.(request, user);
      if (redirect !== undefined) return jsonAnswer(redirect);
    } catch (error) {
      this.#connections.report(error);
      return textAnswer(500, "unexpected error");
    }
    if (this.#connections.isFull) return busy;
    const { negotiated, token } = this.#connections.negotiate(user, asksForStateful(request.url));
    return jsonAnswer(negotiateAnswer(negotiateVersion(request.url), negotiated, token));
  }
}

export const busy: Answer = textAnswer(503, "no further connection is taken now", { "retry-after": "5" });
