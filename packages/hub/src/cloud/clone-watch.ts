import type { Clock, Kernel } from "@ledge/kernel";
import type { CloneKind, CloneRefusal } from "@ledge/link/tunnel";
import { alarmId, limits } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import type { Notes } from "../notes/notes.ts";

/** Another hub with this hub's identity, as reported by the cloud. */
export interface CloneSeen {
  /** The hub of the two that has the link. */
  readonly linked: "this" | "other";
  /** A description for people. */
  readonly problem: string;
}

export interface CloneWatchOptions {
  readonly kernel: Kernel;
  readonly notes: Notes;
  readonly hubId: string;
  readonly clock: Pick<Clock, "after">;
}

/**
 * Raises an alarm about another hub with the same identity. The alarm closes when this hub has had the link for
 * `limits.cloneQuietMs` without news of the other one.
 */
export class CloneWatch {
  readonly #options: CloneWatchOptions;
  #seen: CloneSeen | undefined;
  #newest = 0;
  #isConnected = false;
  #cancel: () => void = () => {};

  constructor(options: CloneWatchOptions) {
    this.#options = options;
  }

  /** The other hub; undefined while none is known. */
  get seen(): CloneSeen | undefined {
    return this.#seen;
  }

  /** The newest generation of this hub that the cloud has reported; 0 for none. */
  get newest(): number {
    return this.#newest;
  }

  /** Records that the cloud refused the tunnel because the other hub has the link. */
  refused({ kind, newest }: CloneRefusal): void {
    this.#newest = newest;
    const at = new Date(newest).toJSON() ?? String(newest);
    const problem =
      kind === "older"
        ? `this hub is from before its last restore: the cloud keeps to the one that was restored at ${at}`
        : "this hub is a copy of the one that the cloud reaches, or that one is a copy of it";
    this.#tell({ linked: "other", problem });
  }

  /** Records that the cloud has refused the other hub. @param kind how that one relates to this hub */
  heard(kind: CloneKind): void {
    const which = kind === "older" ? "one from before its last restore" : "a copy of it";
    this.#tell({ linked: "this", problem: `the cloud reaches this hub, and has refused ${which}` });
  }

  /** Records that the tunnel has opened or ended. */
  connected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#wait();
  }

  stop(): void {
    this.#cancel();
  }

  #tell(seen: CloneSeen): void {
    const { kernel, notes, hubId } = this.#options;
    const isNews = this.#seen?.problem !== seen.problem || !this.#isAlarmed;
    this.#seen = seen;
    if (isNews) void alarmOfHub(kernel, notes, hubId, "HUB_CLONED", seen.problem);
    this.#wait();
  }

  get #isAlarmed(): boolean {
    const { kernel, hubId } = this.#options;
    return kernel.get("alarm", alarmId("HUB_CLONED", hubId))?.closed === false;
  }

  /** Waits until there was no news of the other hub for long enough while this one had the link. */
  #wait(): void {
    this.#cancel();
    this.#cancel = () => {};
    if (!this.#isConnected || (this.#seen === undefined && !this.#isAlarmed)) return;
    this.#cancel = this.#options.clock.after(limits.cloneQuietMs, () => this.#clear());
  }

  #clear(): void {
    const { notes, hubId } = this.#options;
    this.#seen = undefined;
    if (!this.#isAlarmed) return;
    const close = { type: "CLOSE_ALARM", id: alarmId("HUB_CLONED", hubId) } as const;
    void notes.note(close);
  }
}
