import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Access } from "../model/oauth-scopes.ts";
import { Slots } from "../process/slots.ts";
import { fetchBody } from "../push/fetch-body.ts";
import type { Thing } from "../push/source.ts";
import type { Limit, Session } from "../push/user-watch.ts";
import type { Subscriptions, Watching } from "../push/watching.ts";
import type { Cluster } from "./cluster.ts";
import type { Node } from "./nodes.ts";

/** Path of a fetch that another process passes on. */
const fetchPath = "/.fetch";

/** A session, as it goes between processes. */
type SentSession = Omit<Session, "access"> & {
  readonly access?: Omit<Access, "scopes"> & { readonly scopes: readonly string[] };
};

interface WatchCall {
  readonly user: string;
  readonly session: SentSession;
  readonly thing: Thing;
  readonly isHeld: boolean;
}

interface FetchCall {
  readonly user: string;
  readonly session: SentSession;
  readonly waitMs: number;
}

export interface HomesOptions {
  readonly cluster: Cluster;
  readonly watching: Watching;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/**
 * Keeps all that a user watches and reads at one process of the cloud, the user's home: so a user's pushes are as with a
 * single process, whichever one is asked. When processes come or go, sessions of fetches move along with their user.
 */
export class Homes implements Subscriptions {
  readonly #options: HomesOptions;
  readonly #ends: (() => void)[];
  readonly #moving = new Slots(limits.sessionsMovedAtOnce);

  constructor(options: HomesOptions) {
    this.#options = options;
    const { cluster, watching } = options;
    cluster.serve("watch", (json) => {
      const { user, session, thing, isHeld } = json as WatchCall;
      if (isHeld) return watching.subscribe(user, received(session), thing);
      return watching.unsubscribe(user, received(session), thing);
    });
    this.#ends = [
      cluster.nodes.onChanged(() => void this.#moveOut()),
      cluster.onNewsLost(() => watching.resync()),
    ];
  }

  /** Returns the process that is a user's home; undefined when it is this one. */
  elsewhere(user: string): Node | undefined {
    const { nodes } = this.#options.cluster;
    const home = nodes.homeOf(user);
    return home.instance === nodes.own.instance ? undefined : home;
  }

  async subscribe(user: string, session: Session, thing: Thing): Promise<Limit | "snapshots" | undefined> {
    const home = this.elsewhere(user);
    if (home === undefined || session.kind === "connection")
      return this.#options.watching.subscribe(user, session, thing);
    return (await this.#tell(home, user, session, thing, true)) as Limit | "snapshots" | undefined;
  }

  async unsubscribe(user: string, session: Session, thing: Thing): Promise<void> {
    const home = this.elsewhere(user);
    if (home === undefined || session.kind === "connection")
      return this.#options.watching.unsubscribe(user, session, thing);
    await this.#tell(home, user, session, thing, false);
  }

  /**
   * Fetches pushes at a user's home.
   * @returns undefined when that is this process, or it does not answer within `limits.busAnswerMs`
   */
  async fetch(user: string, session: Session, waitMs: number): Promise<Response | undefined> {
    const home = this.elsewhere(user);
    if (home === undefined) return undefined;
    const call: FetchCall = { user, session: sent(session), waitMs };
    const body = JSON.stringify(call);
    const headers = { "content-length": Buffer.byteLength(body) };
    const { promise, resolve } = Promise.withResolvers<Response | undefined>();
    const asked = this.#options.cluster.link.begin(home.address, {
      method: "POST",
      path: fetchPath,
      headers,
    });
    const cancel = this.#options.clock.after(limits.busAnswerMs, () => asked.destroy());
    asked.once("close", () => {
      cancel();
      resolve(undefined);
    });
    asked.on("error", () => {});
    asked.once("response", (answer) => {
      cancel();
      const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
      resolve(new Response(stream, { status: answer.statusCode ?? 502, headers: json }));
    });
    asked.end(body);
    return promise;
  }

  /** Answers a fetch that another process passes on. @returns whether it is one */
  answerPassed(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    if (incoming.url !== fetchPath) return false;
    this.#answer(incoming, outgoing).catch((error: unknown) => {
      this.#options.onError(error as Error);
      outgoing.destroy();
    });
    return true;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { watching, clock, onError } = this.#options;
    const call = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as FetchCall;
    const fetch = watching.beginFetch(call.user, received(call.session));
    if (typeof fetch === "string") {
      const message = "you have too many open streams and fetches";
      return void outgoing.writeHead(429, json).end(JSON.stringify({ message }));
    }
    outgoing.writeHead(200, json).flushHeaders();
    const reader = fetchBody(fetch, call.waitMs, clock, onError).getReader();
    outgoing.once("close", () => void reader.cancel().catch(() => {}));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return void outgoing.end();
      outgoing.write(value);
    }
  }

  /** Leaves for good: the users of this process get others as their homes. */
  async leave(): Promise<void> {
    const { nodes, link } = this.#options.cluster;
    await nodes.leave();
    await Promise.all(nodes.others.map(({ address }) => link.call(address, "nodes", {}).catch(() => {})));
    await this.#moveOut();
    for (const end of this.#ends) end();
  }

  /** Hands over what sessions of fetches hold of users who have another home now. */
  async #moveOut(): Promise<void> {
    const { watching, onError } = this.#options;
    const moving = watching.fetching().map(async ({ user, session, things }) => {
      const leave = await this.#moving.enter();
      try {
        const home = this.elsewhere(user);
        if (home === undefined) return;
        watching.endSession(user, session);
        for (const thing of things)
          await this.#tell(home, user, session, thing, true).catch((error: unknown) =>
            onError(error as Error),
          );
      } finally {
        leave();
      }
    });
    await Promise.all(moving);
  }

  #tell(home: Node, user: string, session: Session, thing: Thing, isHeld: boolean): Promise<unknown> {
    const call: WatchCall = { user, session: sent(session), thing, isHeld };
    return this.#options.cluster.link
      .call(home.address, "watch", call, { timeoutMs: limits.busAnswerMs })
      .then((answer) => answer ?? undefined);
  }
}

const json = { "content-type": "application/json" } as const;

function sent({ kind, id, access }: Session): SentSession {
  return { kind, id, ...(access && { access: { tenant: access.tenant, scopes: [...access.scopes] } }) };
}

function received({ kind, id, access }: SentSession): Session {
  return { kind, id, ...(access && { access: { tenant: access.tenant, scopes: new Set(access.scopes) } }) };
}
