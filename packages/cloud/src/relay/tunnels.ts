import { type ClientHttp2Session, connect } from "node:http2";
import type { Clock } from "@ledge/kernel";
import { keepAlive, type LivenessTimes, sessionOptions, type TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { type FrameBounds, limitFrames } from "./frame-allowance.ts";
import type { HubProcess } from "../hubs/hubs.ts";

/** Whether a hub can be asked now. `lost`: its tunnel is gone, not for long. `offline`: nothing was heard of it. */
export type Reach = "open" | "lost" | "offline";

export interface TunnelsOptions {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly times?: LivenessTimes & FrameBounds & { readonly hubOfflineMs: number };
  /** A hub has dialled, or its tunnel is gone. */
  readonly changed?: (hubId: string, isOpen: boolean) => void;
}

/** The tunnels of hubs, one each: of two the one that was dialled later counts, and who may dial is not asked here. */
export class Tunnels {
  readonly #options: TunnelsOptions;
  readonly #opened: number;
  /** Sessions in which requests may begin, and whose they are. */
  readonly #current = new Map<
    string,
    { readonly session: ClientHttp2Session; readonly process: HubProcess }
  >();
  /** Sessions in which requests may still be under way, and what they run in. */
  readonly #all = new Map<ClientHttp2Session, TunnelDuplex>();
  /** When (elapsed ms) a hub's last tunnel was lost; the oldest come first. */
  readonly #lost = new Map<string, number>();
  #isDraining = false;

  constructor(options: TunnelsOptions) {
    this.#options = options;
    this.#opened = options.clock.monotonic();
  }

  /** Hubs with a tunnel. */
  get size(): number {
    return this.#current.size;
  }

  /** Sessions that have not ended, those of tunnels before included. */
  get sessions(): number {
    return this.#all.size;
  }

  /** Takes a tunnel that a hub's process has dialled. What is under way in the one before ends there. */
  add(process: HubProcess, duplex: TunnelDuplex): void {
    const { hubId } = process;
    if (this.#isDraining) return void duplex.destroy();
    const { clock, times = limits, changed } = this.#options;
    const session = connect("http://hub", { ...sessionOptions, createConnection: () => duplex });
    session.once("connect", () => session.setLocalWindowSize(limits.tunnelWindowBytes));
    const before = this.#current.get(hubId);
    this.#current.set(hubId, { session, process });
    this.#all.set(session, duplex);
    this.#lost.delete(hubId);
    const retire = (): void => {
      if (this.#current.get(hubId)?.session !== session) return;
      this.#current.delete(hubId);
      this.#lost.set(hubId, clock.monotonic());
      this.#forget();
      changed?.(hubId, false);
    };
    // What ends a session ends its requests, each of which says so to its client.
    session.on("error", () => {});
    duplex.on("error", () => {});
    session.once("goaway", () => {
      retire();
      // What is under way may end; then the hub need not wait for the tunnel's.
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
    changed?.(hubId, true);
  }

  /** The session in which a hub is to be asked; undefined when there is none. */
  of(hubId: string): ClientHttp2Session | undefined {
    const { session } = this.#current.get(hubId) ?? {};
    return session === undefined || session.closed || session.destroyed ? undefined : session;
  }

  /** The process in whose tunnel a hub is to be asked; undefined when there is none. */
  processOf(hubId: string): HubProcess | undefined {
    return this.of(hubId) && this.#current.get(hubId)?.process;
  }

  reach(hubId: string): Reach {
    if (this.of(hubId) !== undefined) return "open";
    const { clock, times = limits } = this.#options;
    // Those that were there before this process began have not had the time to dial again.
    const lost = this.#lost.get(hubId) ?? this.#opened;
    return clock.monotonic() - lost < times.hubOfflineMs ? "lost" : "offline";
  }

  /** Ends a hub's tunnel at once, with what is under way in it. */
  end(hubId: string): void {
    this.#current.get(hubId)?.session.destroy();
  }

  /** Says goodbye to all hubs, which dial again; what is under way in their tunnels ends there. */
  dialAgain(): void {
    for (const { session } of this.#current.values()) session.close();
  }

  /** Says goodbye to all hubs; requests under way may end, but not for long. */
  async drain(graceMs: number = limits.closeGraceMs): Promise<void> {
    this.#isDraining = true;
    const closed = [...this.#all.keys()].map(
      (session) => new Promise<void>((resolve) => void session.once("close", () => resolve())),
    );
    for (const session of this.#all.keys()) session.close();
    // A session that has ended lets go of its tunnel only when the other end does.
    const cancel = this.#options.clock.after(graceMs, () => {
      for (const [session, duplex] of this.#all) {
        session.destroy();
        duplex.destroy();
      }
    });
    await Promise.all(closed);
    cancel();
  }

  #forget(): void {
    for (const [hubId] of this.#lost) {
      if (this.reach(hubId) !== "offline") return;
      this.#lost.delete(hubId);
    }
  }
}
