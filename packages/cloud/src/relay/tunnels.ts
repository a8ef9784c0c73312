import { type ClientHttp2Session, connect } from "node:http2";
import type { Clock } from "@ledge/kernel";
import { keepAlive, type LivenessTimes, sessionOptions, type TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { type FrameBounds, limitFrames } from "./frame-allowance.ts";
import type { HubProcess } from "../hubs/hub-process.ts";

/** Whether a hub can be asked now. `lost`: it had a tunnel until recently. `offline`: it has had none for longer. */
export type Reach = "open" | "lost" | "offline";

export interface TunnelsOptions {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly times?: LivenessTimes & FrameBounds & { readonly hubOfflineMs: number };
}

/** A hub whose tunnel ends at another process. */
export interface Elsewhere {
  readonly process: HubProcess;
  /** Where that process is reached. */
  readonly address: string;
}

/** The tunnels of hubs, one each: the newest counts. Does not check who may dial. */
export class Tunnels {
  readonly #options: TunnelsOptions;
  readonly #opened: number;
  /** Sessions that take new requests, with the process of each. */
  readonly #current = new Map<
    string,
    { readonly session: ClientHttp2Session; readonly process: HubProcess }
  >();
  /** Sessions that may still have pending requests, with the duplex of each. */
  readonly #all = new Map<ClientHttp2Session, TunnelDuplex>();
  /** When (elapsed ms) a hub's last tunnel was lost; oldest first. */
  readonly #lost = new Map<string, number>();
  readonly #listeners = new Set<(hubId: string, isOpen: boolean) => void>();
  /** Hubs whose tunnels end at other processes of the cloud. */
  readonly #elsewhere = new Map<string, Elsewhere>();
  readonly #reachListeners = new Set<(hubId: string) => void>();
  #isDraining = false;

  constructor(options: TunnelsOptions) {
    this.#options = options;
    this.#opened = options.clock.monotonic();
  }

  /** Number of hubs with a tunnel. */
  get size(): number {
    return this.#current.size;
  }

  /** Number of sessions that have not ended, also of replaced tunnels. */
  get sessions(): number {
    return this.#all.size;
  }

  /**
   * Calls back when it may have changed whether a hub can be asked, also at another process.
   * @returns a function that unsubscribes
   */
  onReach(callback: (hubId: string) => void): () => void {
    this.#reachListeners.add(callback);
    return () => this.#reachListeners.delete(callback);
  }

  /** Notes at which other process the tunnel of a hub ends; undefined when it ends at none. */
  noteElsewhere(hubId: string, elsewhere: Elsewhere | undefined): void {
    const before = this.#elsewhere.get(hubId);
    if (elsewhere === undefined) {
      if (!this.#elsewhere.delete(hubId)) return;
      this.#lose(hubId);
    } else this.#elsewhere.set(hubId, elsewhere);
    const isSame =
      before?.address === elsewhere?.address && before?.process.instance === elsewhere?.process.instance;
    if (!isSame && this.of(hubId) === undefined) this.#tellReach(hubId);
  }

  /** Returns the other process at which the tunnel of a hub ends; undefined when it ends here or nowhere. */
  elsewhere(hubId: string): string | undefined {
    return this.of(hubId) === undefined ? this.#elsewhere.get(hubId)?.address : undefined;
  }

  /**
   * Calls back when a hub has dialled this process, and when its tunnel is gone.
   * @returns a function that unsubscribes
   */
  onChanged(callback: (hubId: string, isOpen: boolean) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Adds a tunnel that a hub's process has dialled. Pending requests in the previous tunnel finish there. */
  add(process: HubProcess, duplex: TunnelDuplex): void {
    const { hubId } = process;
    if (this.#isDraining) return void duplex.destroy();
    const { clock, times = limits } = this.#options;
    const session = connect("http://hub", { ...sessionOptions, createConnection: () => duplex });
    session.once("connect", () => session.setLocalWindowSize(limits.tunnelWindowBytes));
    const before = this.#current.get(hubId);
    this.#current.set(hubId, { session, process });
    this.#all.set(session, duplex);
    this.#lost.delete(hubId);
    const retire = (): void => {
      if (this.#current.get(hubId)?.session !== session) return;
      this.#current.delete(hubId);
      this.#lose(hubId);
      this.#changed(hubId, false);
    };
    // An error also ends the session's requests, each of which reports it to its client.
    session.on("error", () => {});
    duplex.on("error", () => {});
    session.once("goaway", () => {
      retire();
      // Pending requests may finish; then the hub need not wait for the tunnel to end.
      session.close();
    });
    session.once("close", () => {
      retire();
      this.#all.delete(session);
      duplex.destroy();
    });
    keepAlive(session, duplex, clock, times);
    const end = (): void => {
      session.destroy();
      duplex.destroy();
    };
    limitFrames(duplex, clock, end, times);
    before?.session.close();
    this.#changed(hubId, true);
  }

  /** Returns the session for requests to a hub; undefined without one. */
  of(hubId: string): ClientHttp2Session | undefined {
    const { session } = this.#current.get(hubId) ?? {};
    return session === undefined || session.closed || session.destroyed ? undefined : session;
  }

  /** Returns the process at the other end of a hub's tunnel, wherever this ends; undefined without a tunnel. */
  processOf(hubId: string): HubProcess | undefined {
    return this.of(hubId) === undefined
      ? this.#elsewhere.get(hubId)?.process
      : this.#current.get(hubId)?.process;
  }

  /** Returns whether a hub can be asked now. */
  reach(hubId: string): Reach {
    if (this.of(hubId) !== undefined || this.#elsewhere.has(hubId)) return "open";
    const { clock, times = limits } = this.#options;
    // Hubs from before this process started have not had time to dial again.
    const lost = this.#lost.get(hubId) ?? this.#opened;
    return clock.monotonic() - lost < times.hubOfflineMs ? "lost" : "offline";
  }

  /** Ends a hub's tunnel at once, with its pending requests. */
  end(hubId: string): void {
    this.#current.get(hubId)?.session.destroy();
  }

  /** Says goodbye to a hub that has dialled another process. Pending requests finish in the old tunnel. */
  retire(hubId: string): void {
    this.#current.get(hubId)?.session.close();
  }

  /** Says goodbye to all hubs, which dial again. Pending requests finish in the old tunnels. */
  dialAgain(): void {
    for (const { session } of this.#current.values()) session.close();
  }

  /** Says goodbye to all hubs. Pending requests have `graceMs` to finish. */
  async drain(graceMs: number = limits.closeGraceMs): Promise<void> {
    this.#isDraining = true;
    const closed = [...this.#all.keys()].map(
      (session) => new Promise<void>((resolve) => void session.once("close", () => resolve())),
    );
    for (const session of this.#all.keys()) session.close();
    // A session that has ended releases its tunnel only when the other end does.
    const cancel = this.#options.clock.after(graceMs, () => {
      for (const [session, duplex] of this.#all) {
        session.destroy();
        duplex.destroy();
      }
    });
    await Promise.all(closed);
    cancel();
  }

  #changed(hubId: string, isOpen: boolean): void {
    for (const listener of this.#listeners) listener(hubId, isOpen);
    this.#tellReach(hubId);
  }

  #tellReach(hubId: string): void {
    for (const listener of this.#reachListeners) listener(hubId);
  }

  /** Notes that a hub has lost its tunnel, and forgets those for which that no longer counts. */
  #lose(hubId: string): void {
    const { clock, times = limits } = this.#options;
    const now = clock.monotonic();
    for (const [oldest, lost] of this.#lost) {
      if (now - lost < times.hubOfflineMs) break;
      this.#lost.delete(oldest);
    }
    this.#lost.delete(hubId);
    this.#lost.set(hubId, now);
  }
}
