import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hub } from "@ledge/model";
import type { Context } from "hono";
import type { Credential } from "./auth.ts";
import { languageFor } from "./language.ts";
import type { Opening } from "./opening.ts";
import type { Listener } from "./listener.ts";
import type { HubPorts } from "./ports.ts";
import type { Parameters } from "./query.ts";
import { expired, forbidden, Refused } from "./refused.ts";
import type { Api, Call, Caller } from "./row.ts";

/** What an answer goes to: the response of node:http, or of the tunnel. */
export type Outgoing = Pick<ServerResponse, "writeHead" | "end" | "once" | "destroyed">;

/** Values that the server may pass to the app: request and response of node:http. */
export type ApiEnv = {
  Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: Outgoing };
  /** Whose HubKey a request at the remote listener brought. */
  Variables: { user?: string };
};

export type Exchange = Context<ApiEnv>;

/** Names this run of the process in the ids of requests. */
const run = randomBytes(6).toString("base64url");
let requests = 0;

/** What a caller may do at a row, for as long as somebody asks: it keeps nothing of the request. */
class Rights {
  readonly #opening: Opening;
  readonly #mask: number;
  readonly #caller: Caller;
  readonly #credential: Credential | undefined;

  constructor(opening: Opening, mask: number, caller: Caller, credential: Credential | undefined) {
    this.#opening = opening;
    this.#mask = mask;
    this.#caller = caller;
    this.#credential = credential;
  }

  now(): Caller | Refused {
    if (this.#credential === undefined) return this.#caller;
    const { auth } = this.#opening;
    if (!auth.isCurrent(this.#credential)) return expired();
    const caller = auth.callerOf(this.#credential);
    if (caller instanceof Refused || (caller.role & this.#mask) !== 0) return caller;
    return forbidden("this role may not do that");
  }
}

/** A call that passed the gates. Computes on demand what few handlers need. */
export class OpenCall implements Call {
  readonly caller: Caller;
  readonly query: Readonly<Parameters>;
  body: unknown = undefined;
  isList = false;
  readonly #opening: Opening;
  readonly #c: Exchange;
  readonly #mask: number;
  readonly #credential: Credential | undefined;
  #id: string | undefined;

  constructor(
    opening: Opening,
    c: Exchange,
    mask: number,
    caller: Caller,
    query: Readonly<Parameters>,
    credential: Credential | undefined,
  ) {
    this.#opening = opening;
    this.#c = c;
    this.#mask = mask;
    this.caller = caller;
    this.query = query;
    this.#credential = credential;
  }

  get listener(): Listener {
    return this.#opening.listener;
  }

  get hub(): HubPorts {
    return this.#opening.ports;
  }

  get api(): Api {
    return this.#opening.api;
  }

  get language(): Call["language"] {
    return languageFor(this.header("accept-language"));
  }

  get id(): string {
    // The id thus shows in events by which listener the request came.
    this.#id ??= `${this.listener}-${nextId()}`;
    return this.#id;
  }

  get signal(): AbortSignal {
    return this.#c.req.raw.signal;
  }

  header(name: string): string | undefined {
    return headerOf(this.#c, name);
  }

  get keyId(): string | undefined {
    return this.#credential?.key.jti;
  }

  get address(): string {
    return this.#opening.addressOf(incomingOf(this.#c));
  }

  get rights(): Rights {
    return new Rights(this.#opening, this.#mask, this.caller, this.#credential);
  }

  parameter(name: string): string {
    return this.#c.req.param(name) ?? "";
  }

  admitted(): boolean {
    return !(this.rights.now() instanceof Refused);
  }
}

/** Returns the request of node:http, if the app runs in one of its servers. */
export function incomingOf(c: Exchange): IncomingMessage | undefined {
  return (c.env as ApiEnv["Bindings"] | undefined)?.incoming;
}

/** Returns what the answer goes to, if the app runs in one of its servers. */
export function outgoingOf(c: Exchange): Outgoing | undefined {
  return (c.env as ApiEnv["Bindings"] | undefined)?.outgoing;
}

/** Returns a header by its lower-case name. Prefers the request of node:http, which has parsed the headers. */
export function headerOf(c: Exchange, name: string): string | undefined {
  const incoming = incomingOf(c);
  if (incoming === undefined) return c.req.raw.headers.get(name) ?? undefined;
  const value = incoming.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Returns the hub's own state. @throws if the log holds no hub */
export function hubOf({ kernel, hubId }: HubPorts): Hub {
  const hub = kernel.get("hub", hubId);
  if (hub === undefined) throw new Error("the log holds no hub");
  return hub;
}

/** Returns a new id for a request. */
export function nextId(): string {
  requests++;
  return `${run}-${requests.toString(36)}`;
}
