import type { Clock, Kernel, Viewer } from "@ledge/kernel";
import type { ChangeLine, ChangesEnd, ChangesHead } from "@ledge/link";
import { type Hub, limits, roles } from "@ledge/model";
import { changesIn, sharedKind, type SharedKind } from "./change-lines.ts";

/** What changes need of the hub. */
export interface ChangesParts {
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly clock: Pick<Clock, "after">;
  /** Lets other work of the process have a turn. */
  readonly pause: () => Promise<void>;
  /** Called for an object that is too long for a line, and is left out. */
  readonly leftOut: (kind: SharedKind, id: string) => void;
  /** Default: `limits.changeLineBytes`. */
  readonly lineBytes?: number;
}

/** What the cloud asks for. */
export interface ChangesRequest {
  /** The cursor of the last answer; undefined at first. */
  readonly after: string | undefined;
  /** How many changes of devices the answer may hold; it ends with the commit that exceeds it. */
  readonly max: number;
  readonly waitMs: number;
}

type Line = ChangesHead | ChangeLine | ChangesEnd;

/** Sees everything, as the owner does. */
const viewer: Viewer = { role: roles.OWNER_ADMIN, user: null, since: 0 };

/**
 * Tells the cloud what has changed in the home, as far as the owner lets it. Follows the log by a cursor, so an
 * answer that is lost is given again, and nothing is remembered of the cloud. Works in slices: whatever the cloud
 * asks for, the hub's own network waits for one slice at most.
 */
export class Changes {
  readonly #parts: ChangesParts;
  readonly #unsubscribe: () => void;
  readonly #waiting = new Set<() => void>();
  /** The newest commit that the cloud has to know of. What came before the start counts as news. */
  #newest: number;

  constructor(parts: ChangesParts) {
    const { kernel, hubId } = parts;
    this.#parts = parts;
    this.#newest = kernel.timestamp;
    this.#unsubscribe = kernel.subscribe({
      published: ({ events, timestamp }) => {
        const isNews = events.some((event) => sharedKind(event) !== undefined || event.id === hubId);
        if (!isNews) return;
        this.#newest = timestamp;
        for (const wake of this.#waiting) wake();
      },
    });
  }

  stop(): void {
    this.#unsubscribe();
    for (const wake of this.#waiting) wake();
  }

  /**
   * Yields the lines of an answer. Waits before the first one while there is nothing to tell.
   * @param signal ends the wait when the cloud has left
   */
  async *lines({ after, max, waitMs }: ChangesRequest, signal: AbortSignal): AsyncGenerator<Line> {
    if (waitMs > 0 && after !== undefined && this.#isCurrent(after)) await this.#news(waitMs, signal);
    // The cursor belongs to this share. If the share ends meanwhile, the next answer has to say so.
    const hub = this.#hub;
    const { share, generation } = hub;
    const upto = this.#parts.kernel.timestamp;
    const from = this.#from(after);
    const full = share === "states" && from === undefined;
    yield { v: 1, share, generation, full, after: after ?? null };
    if (share === "none") return yield { next: cursorOf(hub, 0), more: false };
    if (from === undefined) {
      yield* this.#all();
      return yield { next: cursorOf(hub, upto), more: false };
    }
    const read = yield* this.#since(from, upto, max);
    yield { next: cursorOf(hub, read), more: read < upto };
  }

  /** Yields the changes after a commit, and then the objects that they touched. Returns how far it has read. */
  async *#since(from: number, upto: number, max: number): AsyncGenerator<ChangeLine, number> {
    const touched = new Map<string, readonly [SharedKind, string, number]>();
    let [read, count, commits] = [upto, 0, 0];
    for (const commit of this.#parts.kernel.log.read(from, upto)) {
      for (const event of commit.events) {
        const kind = sharedKind(event);
        if (kind) touched.set(`${kind} ${event.id}`, [kind, event.id, commit.timestamp]);
      }
      for (const event of changesIn(commit)) {
        count++;
        yield { event };
      }
      if (count >= max) {
        read = commit.timestamp;
        break;
      }
      if (++commits % limits.changesSlice === 0) await this.#parts.pause();
    }
    let objects = 0;
    for (const [kind, id, timestamp] of touched.values()) {
      const line = this.#objectLine(kind, id);
      if (line) yield line;
      else if (this.#parts.kernel.get(kind, id) === undefined) yield { removed: { kind, id, timestamp } };
      if (++objects % limits.changesSlice === 0) await this.#parts.pause();
    }
    return read;
  }

  /** Yields all devices and alarms. */
  async *#all(): AsyncGenerator<ChangeLine> {
    const { kernel, pause } = this.#parts;
    let objects = 0;
    for (const kind of ["device", "alarm"] as const) {
      for (const id of [...kernel.all(kind)].map(([known]) => known)) {
        const line = this.#objectLine(kind, id);
        if (line) yield line;
        if (++objects % limits.changesSlice === 0) await pause();
      }
    }
  }

  /** Returns the line of an object as it is now; undefined when it is gone, or too long. */
  #objectLine(kind: SharedKind, id: string): ChangeLine | undefined {
    const { kernel, leftOut, lineBytes = limits.changeLineBytes } = this.#parts;
    const object = kernel.render(kind, id, viewer, "en") as { readonly id: string } | undefined;
    if (object === undefined) return undefined;
    const isHidden = kind === "alarm" && kernel.get("alarm", id)?.hidden === true;
    const line =
      kind === "device" ? { device: object } : { alarm: { ...object, ...(isHidden && { hidden: true }) } };
    if (Buffer.byteLength(JSON.stringify(line)) <= lineBytes) return line;
    leftOut(kind, id);
    return undefined;
  }

  get #hub(): Pick<Hub, "share" | "generation"> {
    const { kernel, hubId } = this.#parts;
    return kernel.get("hub", hubId) ?? { share: "none", generation: 0 };
  }

  /**
   * Returns the timestamp after which to read; undefined when the cursor does not lead into this log: one of
   * another generation or from before a share, one whose commit was cut off, and one below the horizon, above
   * which alone everything is kept.
   */
  #from(after: string | undefined): number | undefined {
    const from = timestampIn(after, this.#hub);
    const { log, timestamp: now } = this.#parts.kernel;
    if (from === undefined || from < log.horizon || from > now) return undefined;
    const [commit] = log.read(from - 1, from);
    return commit?.timestamp === from ? from : undefined;
  }

  /** Returns whether there is nothing to tell after a cursor. */
  #isCurrent(after: string): boolean {
    if (this.#hub.share === "none") return after === cursorOf(this.#hub, 0);
    // Only a request that may wait has to look into the log twice.
    const isNewest = (timestampIn(after, this.#hub) ?? -1) >= this.#newest;
    return isNewest && this.#from(after) !== undefined;
  }

  /** Waits until there is something to tell, or the time is over. */
  async #news(waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(waitMs, resolve);
    const wake = (): void => resolve();
    signal.addEventListener("abort", wake, { once: true });
    this.#waiting.add(wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener("abort", wake);
    cancel();
  }
}

/** Returns the timestamp in a cursor of the share of this generation; undefined in any other text. */
function timestampIn(
  cursor: string | undefined,
  { generation }: Pick<Hub, "generation">,
): number | undefined {
  const [, of, timestamp] = /^s\.(\d+)\.(\d+)$/.exec(cursor ?? "") ?? [];
  const read = Number(timestamp);
  return of === String(generation) && Number.isSafeInteger(read) ? read : undefined;
}

function cursorOf({ share, generation }: Pick<Hub, "share" | "generation">, timestamp: number): string {
  return share === "none" ? `n.${generation}` : `s.${generation}.${timestamp}`;
}
