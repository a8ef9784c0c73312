import type { HubOptions, HubRequest, HubUser } from "../api.ts";
import type { Connections } from "../connections.ts";
import { RefusedError } from "../errors.ts";
import { HttpTransport } from "../transports/http-transport.ts";
import { LongPollingTransport } from "../transports/long-polling.ts";
import { ServerSentEventsTransport } from "../transports/server-sent-events.ts";
import { corsHeaders, isForeign, preflightHeaders } from "./cors.ts";
import { type Answer, type HttpRequest, jsonAnswer, type OpenAnswer, textAnswer } from "./exchange.ts";
import { asksForStateful, negotiateAnswer, negotiateVersion } from "./negotiate.ts";

export const unknownConnection = textAnswer(404, "no such connection: negotiate first");
export const takenConnection = textAnswer(409, "the connection is in use");
export const busy = textAnswer(503, "no further connection is taken now", { "retry-after": "5" });
const unexpected = textAnswer(500, "unexpected error");

/** Answers the HTTP requests of a hub, and says who may open a socket. */
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

  async answer(request: HttpRequest): Promise<Answer | OpenAnswer> {
    const cors = corsHeaders(request, this.#options.allowOrigin);
    const answer = await this.#answerFor(request).catch((error: unknown) => {
      this.#connections.report(error);
      return unexpected;
    });
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
      return { answer: unexpected };
    }
  }

  async #answerFor(request: HttpRequest): Promise<Answer | OpenAnswer> {
    if (request.method === "OPTIONS") return { status: 204, headers: preflightHeaders };
    const admitted = await this.admit(request);
    if ("answer" in admitted) return admitted.answer;
    const { user } = admitted;
    if (request.url.pathname.endsWith("/negotiate")) return this.#negotiate(request, user);
    const token = request.url.searchParams.get("id");
    if (token === null) return textAnswer(400, "a connection needs an id: negotiate first");
    switch (request.method) {
      case "GET":
        return this.#get(request, token, user);
      case "POST":
        return this.#post(request, token, user);
      case "DELETE":
        return this.#delete(token, user);
      default:
        return textAnswer(405, "no such method", { allow: "GET, POST, DELETE, OPTIONS" });
    }
  }

  async #negotiate(request: HttpRequest, user: User): Promise<Answer> {
    if (request.method !== "POST") return textAnswer(405, "negotiate with POST", { allow: "POST" });
    const redirect = await this.#options.redirect?.(request, user);
    if (redirect !== undefined) return jsonAnswer(redirect);
    if (this.#connections.isFull) return busy;
    const { negotiated, token } = this.#connections.negotiate(user, asksForStateful(request.url));
    return jsonAnswer(negotiateAnswer(negotiateVersion(request.url), negotiated, token));
  }

  /** Opens Server-Sent Events, or answers a poll; the first poll opens its connection. */
  #get(request: HttpRequest, token: string, user: User): OpenAnswer | Answer | Promise<Answer> {
    const found = this.#connections.find(token, user);
    if (found === undefined) return unknownConnection;
    const wantsEvents = request.header("accept")?.includes("text/event-stream") === true;
    if (found.connection !== undefined) {
      const { carrier } = found.connection;
      const isPoll = carrier instanceof LongPollingTransport && !wantsEvents;
      return isPoll ? carrier.poll((callback) => request.onGone(callback)) : takenConnection;
    }
    if (this.#connections.isFull) return busy;
    if (wantsEvents) {
      const transport = new ServerSentEventsTransport();
      transport.listen(this.#connections.add(user, transport, found.negotiated));
      return transport.answer();
    }
    const transport = new LongPollingTransport(this.#connections.clock, this.#connections.settings);
    transport.listen(this.#connections.add(user, transport, found.negotiated));
    return transport.poll((callback) => request.onGone(callback));
  }

  async #post(request: HttpRequest, token: string, user: User): Promise<Answer> {
    const transport = this.#httpTransport(token, user);
    if (transport === undefined) return unknownConnection;
    const { maxChunkBytes } = this.#connections.settings;
    switch (await transport.post(() => request.readBody(maxChunkBytes))) {
      case "closed":
        return unknownConnection;
      case "too many":
        return textAnswer(429, "too many posts at once: wait for the answers", { "retry-after": "1" });
      case "too long":
        return textAnswer(413, `at most ${maxChunkBytes} bytes may be posted at once`, {
          connection: "close",
        });
      case "taken":
        return { status: 200, headers: { "content-type": "text/plain" } };
    }
  }

  #delete(token: string, user: User): Answer {
    const transport = this.#httpTransport(token, user);
    transport?.destroy();
    return transport === undefined ? unknownConnection : { status: 202, headers: {} };
  }

  #httpTransport(token: string, user: User): HttpTransport | undefined {
    const carrier = this.#connections.find(token, user)?.connection?.carrier;
    return carrier instanceof HttpTransport ? carrier : undefined;
  }
}
