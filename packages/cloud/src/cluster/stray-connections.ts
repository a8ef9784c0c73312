import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Origin } from "../http/caller-address.ts";
import type { Bearers } from "../oauth/bearers.ts";
import { type Connections, connectionPath } from "../push/connections.ts";
import type { Cluster } from "./cluster.ts";
import type { Homes } from "./homes.ts";
import type { Node } from "./nodes.ts";
import { clientHeader, notePassed, passOn, passUpgrade } from "./passing.ts";

export interface StrayOptions {
  readonly cluster: Cluster;
  readonly homes: Homes;
  readonly connections: Pick<Connections, "handle" | "upgrade">;
  readonly bearers: Pick<Bearers, "of">;
  readonly originOf: (incoming: IncomingMessage) => Origin;
  readonly clock: Pick<Clock, "after">;
}

/**
 * Passes connections of clients on to the homes of their users. A client that negotiates is sent there, when its home has
 * an address of its own; all others get there through this process.
 */
export class StrayConnections {
  readonly #options: StrayOptions;

  constructor(options: StrayOptions) {
    this.#options = options;
  }

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { connections, cluster, clock } = this.#options;
    const home = await this.#homeOf(incoming);
    const isNegotiation = incoming.url?.split("?", 1)[0] === `${connectionPath}/negotiate`;
    if (home === undefined || (isNegotiation && home.url !== ""))
      return void connections.handle(incoming, outgoing);
    const headers = this.#headersOf(incoming);
    const waitMs = limits.peerSubmitMs;
    const failure = await passOn(cluster.link, home.address, { incoming, outgoing, headers, waitMs }, clock);
    if (failure !== undefined && !outgoing.headersSent)
      outgoing.writeHead(503, { "retry-after": "1", "content-type": "application/json" }).end(gone);
  }

  async upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { connections, cluster } = this.#options;
    // Nobody else listens meanwhile.
    const fail = (): void => void socket.destroy();
    socket.once("error", fail);
    const home = await this.#homeOf(incoming);
    socket.off("error", fail);
    if (socket.destroyed) return;
    if (home === undefined) return void connections.upgrade(incoming, socket, head);
    passUpgrade(cluster.link, home.address, { incoming, socket, head, headers: this.#headersOf(incoming) });
  }

  /** Takes what other processes pass on. @returns whether it is of a connection */
  handlePassed(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    if (!isConnection(incoming)) return false;
    notePassed(incoming);
    this.#options.connections.handle(incoming, outgoing);
    return true;
  }

  upgradePassed(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!isConnection(incoming)) return void socket.destroy();
    notePassed(incoming);
    void this.#options.connections.upgrade(incoming, socket, head);
  }

  async #homeOf(incoming: IncomingMessage): Promise<Node | undefined> {
    const { bearers, homes } = this.#options;
    const token = tokenIn(incoming);
    if (token === "" || token.length > limits.tokenChars) return undefined;
    const bearer = await bearers.of(token);
    return typeof bearer === "string" ? undefined : homes.elsewhere(bearer.account.id);
  }

  #headersOf(incoming: IncomingMessage): IncomingMessage["headers"] {
    return { ...incoming.headers, [clientHeader]: this.#options.originOf(incoming).address };
  }
}

const gone = '{"message":"the process of your pushes is gone: try again"}';

function isConnection({ url = "" }: IncomingMessage): boolean {
  const path = url.split("?", 1)[0];
  return path === connectionPath || path === `${connectionPath}/negotiate`;
}

function tokenIn({ headers, url = "" }: IncomingMessage): string {
  const header = (headers.authorization ?? "").replace(/^bearer /i, "").trim();
  return header === "" ? (new URLSearchParams(url.split("?", 2)[1] ?? "").get("access_token") ?? "") : header;
}
