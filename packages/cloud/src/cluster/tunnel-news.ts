import { setTimeout } from "node:timers/promises";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Tunnels } from "../relay/tunnels.ts";
import type { Cluster } from "./cluster.ts";
import type { Node } from "./nodes.ts";
import { PeerError } from "./peer-link.ts";
import { type TunnelChange, TunnelChanges, type TunnelNewsPage } from "./tunnel-changes.ts";

/** `instance`: the run of the process that tells. */
type News = TunnelNewsPage & { readonly instance: string };

/**
 * Tells the processes of a cloud which hubs have their tunnels where. Each asks each other one what has changed, and waits
 * there for the answer: so it needs neither database nor broker, and notices when the other is gone. The newest tunnel of
 * a hub counts.
 */
export class TunnelNews {
  readonly #cluster: Pick<Cluster, "link" | "nodes">;
  readonly #tunnels: Tunnels;
  readonly #clock: Pick<Clock, "after">;
  /** What this process has, and what it had until lately. */
  readonly #own = new TunnelChanges(limits.hubs);
  readonly #waiting = new Set<() => void>();
  /** The hubs of other processes, by instance. */
  readonly #theirs = new Map<string, Map<string, TunnelChange>>();
  readonly #ends: (() => void)[];
  readonly #end = new AbortController();

  /** @param now ms since the epoch */
  constructor(
    cluster: Pick<Cluster, "link" | "nodes" | "serve">,
    tunnels: Tunnels,
    clock: Pick<Clock, "after">,
    now: () => number,
  ) {
    this.#cluster = cluster;
    this.#tunnels = tunnels;
    this.#clock = clock;
    cluster.serve("tunnels", (asked, signal) => this.#newsAfter((asked as { after: number }).after, signal));
    this.#ends = [
      tunnels.onChanged((hubId, isOpen) => this.#note(hubId, isOpen, now())),
      cluster.nodes.onChanged(() => this.#followAll()),
    ];
    this.#followAll();
  }

  stop(): void {
    this.#end.abort();
    for (const end of this.#ends) end();
    this.#wake();
  }

  #note(hubId: string, isOpen: boolean, since: number): void {
    const process = isOpen ? this.#tunnels.processOf(hubId) : undefined;
    this.#own.note({ hubId, since, ...(process && { process }) });
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #newsAfter(after: number, signal: AbortSignal): Promise<News> {
    if (after >= this.#own.version && !this.#end.signal.aborted) await this.#nextChange(signal);
    return { instance: this.#cluster.nodes.own.instance, ...this.#own.after(after) };
  }

  /** Resolves at the next change, after `limits.peerNewsMs`, or when nobody waits for the answer any more. */
  async #nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    this.#waiting.add(wake);
    signal.addEventListener("abort", () => wake(), { once: true });
    const cancel = this.#clock.after(limits.peerNewsMs, wake);
    await promise;
    cancel();
    this.#waiting.delete(wake);
  }

  #followAll(): void {
    for (const node of this.#cluster.nodes.others)
      if (!this.#theirs.has(node.instance)) {
        this.#theirs.set(node.instance, new Map());
        void this.#follow(node);
      }
  }

  /** Follows a process until it lives no more. */
  async #follow({ instance, address }: Node): Promise<void> {
    const { link, nodes } = this.#cluster;
    const { signal } = this.#end;
    const lives = (): boolean => !signal.aborted && nodes.others.some((node) => node.instance === instance);
    for (let after = 0, failures = 0; lives();)
      try {
        const news = (await link.call(
          address,
          "tunnels",
          { after },
          { timeoutMs: 2 * limits.peerNewsMs, signal },
        )) as News;
        if (news.instance !== instance) throw new Error("a later run of the process answers there");
        failures = 0;
        nodes.note(instance, true);
        if (news.isAll) this.#keepOnly(instance, new Set(news.changes.map(({ hubId }) => hubId)));
        for (const change of news.changes) this.#learn(instance, change);
        after = news.version;
      } catch (error) {
        if (!lives()) break;
        // One that breaks off, or is late, may go on. One that is gone refuses the second question.
        if (++failures === 1 && error instanceof PeerError && error.isSent) continue;
        nodes.note(instance, false);
        this.#lose(instance);
        after = 0;
        await setTimeout(limits.peerRetryMs, undefined, { ref: false });
      }
    this.#lose(instance);
    this.#theirs.delete(instance);
  }

  #learn(instance: string, change: TunnelChange): void {
    const { hubId, process, since } = change;
    const theirs = this.#theirs.get(instance);
    if (process === undefined) theirs?.delete(hubId);
    else {
      theirs?.set(hubId, change);
      // The hub has dialled there since; what it has here is an old connection that has not broken yet.
      const own = this.#own.of(hubId);
      if (own !== undefined && own.since < since) this.#tunnels.retire(hubId);
    }
    this.#show(hubId);
  }

  #lose(instance: string): void {
    this.#keepOnly(instance, new Set());
  }

  /** Forgets the hubs of a process but for these. */
  #keepOnly(instance: string, hubIds: ReadonlySet<string>): void {
    const theirs = this.#theirs.get(instance) ?? new Map<string, TunnelChange>();
    const lost = [...theirs.keys()].filter((hubId) => !hubIds.has(hubId));
    for (const hubId of lost) theirs.delete(hubId);
    for (const hubId of lost) this.#show(hubId);
  }

  /** Shows where the newest tunnel of a hub ends elsewhere. */
  #show(hubId: string): void {
    let newest: (TunnelChange & { readonly address: string }) | undefined;
    for (const { instance, address } of this.#cluster.nodes.others) {
      const change = this.#theirs.get(instance)?.get(hubId);
      if (change !== undefined && change.since >= (newest?.since ?? 0)) newest = { ...change, address };
    }
    const { process, address } = newest ?? {};
    this.#tunnels.noteElsewhere(hubId, process && address !== undefined ? { process, address } : undefined);
  }
}
