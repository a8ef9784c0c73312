import type { Clock, Kernel } from "@ledge/kernel";
import type { CloneKind, CloneRefusal } from "@ledge/link/tunnel";
import { alarmId, limits } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import type { Notes } from "../notes/notes.ts";

/** Another hub of this one's identity, as the cloud tells of it. */
export interface CloneSeen {
  /** Which of the two has the link. */
  readonly linked: "this" | "other";
  /** For people. */
  readonly problem: string;
}

export interface CloneWatchOptions {
  readonly kernel: Kernel;
  readonly notes: Notes;
  readonly hubId: string;
  readonly clock: Pick<Clock, "after">;
}

/**
 * Tells users that there is another hub of the same identity. The alarm closes once this one has had the link for
 * `limits.cloneQuietMs` without a word of the other.
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

  /** Undefined while the hub is alone, as far as it knows. */
  get seen(): CloneSeen | undefined {
    return this.#seen;
  }

  /** The newest generation of this hub that the cloud has told of; 0 for none. */
  get newest(): number {
    return this.#newest;
  }

  /** The cloud does not open the tunnel: the other one has it. */
  refused({ kind, newest }: CloneRefusal): void {
    this.#newest = newest;
    const at = new Date(newest).toJSON() ?? String(newest);
    const problem =
      kind === "older"
        ? `this hub is from before its last restore: the cloud keeps to the one that was restored at ${at}`
        : "this hub is a copy of the one that the cloud reaches, or that one is a copy of it";
    this.#tell({ linked: "other", problem });
  }

  /** The cloud has refused the other one. @param kind how that one stands to this */
  heard(kind: CloneKind): void {
    const which = kind === "older" ? "one from before its last restore" : "a copy of it";
    this.#tell({ linked: "this", problem: `the cloud reaches this hub, and has refused ${which}` });
  }

  /** The tunnel is open, or has ended. */
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

  /** Until nothing is heard of the other one, while this one has the link. */
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
