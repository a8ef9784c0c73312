import type { ServerResponse } from "node:http";
import type { Nodes } from "./nodes.ts";
import type { PeerHandlers, PeerLink } from "./peer-link.ts";

/** Answers one kind of call of other processes. */
export type PeerCall = (json: unknown, signal: AbortSignal) => unknown;

/** Takes what other processes pass on of clients. */
export type Passed = Pick<PeerHandlers, "passed" | "upgraded">;

/** The log, as one of several processes has it. */
export interface LogOfCluster {
  /** Waits until this process shows all that was acknowledged before the call. */
  fresh(): Promise<void>;
  figures(): Omit<ClusterFigures, "processes">;
}

export interface ClusterFigures {
  /** Whether this process writes the log. */
  readonly isWriting: boolean;
  /** Since the oldest of its leases was renewed. */
  readonly leaseAgeMs: number;
  /** Since this process last showed all that was stored; 0 where it writes. */
  readonly behindMs: number;
  /** Processes that live and answer, this one included. */
  readonly processes: number;
}

/** What joins the processes of one cloud. */
export class Cluster {
  readonly nodes: Nodes;
  readonly link: PeerLink;
  readonly #calls = new Map<string, PeerCall>();
  #passed: Passed | undefined;
  readonly #lost = new Set<() => void>();
  readonly #log: LogOfCluster;

  constructor(nodes: Nodes, link: PeerLink, log: LogOfCluster) {
    this.nodes = nodes;
    this.link = link;
    this.#log = log;
    this.serve("nodes", () => nodes.refresh());
    link.handle({
      call: async (path, json, signal) => {
        const call = this.#calls.get(path);
        if (call === undefined) throw new Error(`nobody answers ${path} here`);
        return call(json, signal);
      },
      passed: (incoming, outgoing) => {
        if (this.#passed === undefined) refuse(outgoing);
        else this.#passed.passed(incoming, outgoing);
      },
      upgraded: (incoming, socket, head) => {
        if (this.#passed === undefined) socket.destroy();
        else this.#passed.upgraded(incoming, socket, head);
      },
    });
  }

  /** Waits until this process shows all that was acknowledged before the call. */
  fresh(): Promise<void> {
    return this.#log.fresh();
  }

  /** What operators watch of this process among the others; times in ms. */
  get figures(): ClusterFigures {
    const { nodes } = this;
    const { isWriting, leaseAgeMs, behindMs } = this.#log.figures();
    const ageMs = Math.max(leaseAgeMs, nodes.leaseAgeMs);
    return { isWriting, leaseAgeMs: ageMs, behindMs, processes: nodes.all.length };
  }

  /** Calls back when news of other processes may have been lost; returns a function that unsubscribes. */
  onNewsLost(callback: () => void): () => void {
    this.#lost.add(callback);
    return () => this.#lost.delete(callback);
  }

  /** Tells that news of other processes may have been lost. */
  newsLost(): void {
    for (const callback of this.#lost) callback();
  }

  /** Answers one kind of call. */
  serve(path: string, call: PeerCall): void {
    this.#calls.set(path, call);
  }

  /** Takes what others pass on. */
  take(passed: Passed): void {
    this.#passed = passed;
  }
}

function refuse(outgoing: ServerResponse): void {
  outgoing
    .writeHead(503, { "content-type": "application/json" })
    .end('{"message":"this process is starting"}');
}
