import type { Clock, Kernel, Viewer } from "@ledge/kernel";
import { changeKinds, type ChangeKind, type ChangePlace } from "@ledge/link";
import { type Hub, indexIn, limits, roles } from "@ledge/model";
import { type ChangePosition, cursorOf, positionIn } from "./change-cursor.ts";
import { changeLine, lineOf, sharedKind } from "./change-lines.ts";
import { idsAfter } from "./ids-after.ts";

/** What changes need of the hub. */
export interface ChangesParts {
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly clock: Pick<Clock, "after">;
  /** Lets other work of the process have a turn. */
  readonly pause: () => Promise<void>;
  /** Called for an object that is too long for a line, and is left out. */
  readonly leftOut: (kind: ChangeKind, id: string) => void;
  /** By the names in `limits`. */
  readonly bounds?: Readonly<
    Record<"changeLineBytes" | "changesPageBytes" | "changesCommits" | "changesSlice", number>
  >;
}

/** What the cloud asks for. */
export interface ChangesRequest {
  /** The cursor of the last answer; undefined at first. */
  readonly after: string | undefined;
  /** How many changes or objects the answer may hold. */
  readonly max: number;
  readonly waitMs: number;
}

/** An object that events have touched. */
interface Touched {
  readonly kind: ChangeKind;
  readonly id: string;
  /** Its line; undefined when it is gone, or too long. */
  readonly line: string | undefined;
  /** The last commit that touched it. */
  timestamp: number;
}

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
  #steps = 0;

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
   * Yields an answer as lines of JSON, in pieces of many lines: each step of a generator takes longer than a line.
   * Waits before the first one while there is nothing to tell.
   *
   * A cursor that leads nowhere begins a full answer: a page of all devices and alarms, whose cursor leads to the
   * next one. The last page leads to the commit that was the newest when the first page began, so what changed
   * meanwhile follows as changes.
   * @param signal ends the wait when the cloud has left
   */
  async *pieces({ after, max, waitMs }: ChangesRequest, signal: AbortSignal): AsyncGenerator<string> {
    if (waitMs > 0 && after !== undefined && this.#isCurrent(after)) await this.#news(waitMs, signal);
    // The cursor belongs to this share. If the share ends meanwhile, the next answer has to say so.
    const hub = this.#hub;
    const { share, generation } = hub;
    const upto = this.#parts.kernel.timestamp;
    const head = { v: 1 as const, share, generation, after: after ?? null };
    const { timestamp, index, place } = this.#position(after) ?? { timestamp: upto, place: null };
    if (share === "none") {
      yield lineOf({ ...head, full: false });
      yield lineOf({ next: cursorOf(hub, { timestamp }), more: false });
    } else if (place === undefined) {
      yield lineOf({ ...head, full: false });
      const read = yield* this.#since({ timestamp, ...(index !== undefined && { index }) }, upto, max);
      const more = read.index !== undefined || read.timestamp < upto;
      yield lineOf({ next: cursorOf(hub, read), more });
    } else {
      yield lineOf({ ...head, full: true, from: place });
      const last = yield* this.#page(place, max);
      const next = cursorOf(hub, { timestamp, ...(last && { place: last }) });
      yield lineOf({ next, more: last !== null || timestamp < this.#newest, upto: last });
    }
  }

  /** Yields the changes after a position, and then the objects that they touched. Returns how far it has read. */
  async *#since(from: ChangePosition, upto: number, max: number): AsyncGenerator<string, ChangePosition> {
    const { kernel, pause, bounds = limits } = this.#parts;
    const touched = new Map<string, Touched>();
    let read: ChangePosition = { timestamp: upto };
    let [count, bytes, commits, piece] = [0, 0, 0, ""];
    const after = from.index === undefined ? from.timestamp : from.timestamp - 1;
    reading: for (const commit of kernel.log.read(after, upto)) {
      const { timestamp, events } = commit;
      const first = timestamp === from.timestamp ? (from.index ?? 0) : 0;
      for (const [place, event] of events.entries()) {
        const kind = sharedKind(event);
        const index = indexIn(commit, place);
        if (kind === undefined || index < first) continue;
        if (count >= max || bytes >= bounds.changesPageBytes) {
          read = { timestamp, index };
          break reading;
        }
        count++;
        const change = changeLine(commit, place);
        piece += change;
        bytes += change.length + this.#touch(touched, kind, event.id, timestamp);
        if (!this.#isSliceOver()) continue;
        yield piece;
        piece = "";
        await pause();
      }
      if (++commits >= bounds.changesCommits) {
        read = { timestamp };
        break;
      }
      if (this.#isSliceOver()) await pause();
    }
    for (const { kind, id, line, timestamp } of touched.values()) {
      piece += line ?? lineOf({ removed: { kind, id, timestamp } });
      if (!this.#isSliceOver()) continue;
      yield piece;
      piece = "";
    }
    yield piece;
    return read;
  }

  /** Notes that an event has touched an object. Returns how many bytes that adds to the answer. */
  #touch(touched: Map<string, Touched>, kind: ChangeKind, id: string, timestamp: number): number {
    const known = touched.get(`${kind} ${id}`);
    if (known) {
      known.timestamp = timestamp;
      return 0;
    }
    const line = this.#objectLine(kind, id);
    touched.set(`${kind} ${id}`, { kind, id, line, timestamp });
    return line?.length ?? 0;
  }

  /**
   * Yields the devices and alarms after a place, as many as an answer may hold.
   * @returns the place of the last one; null when there are no more
   */
  async *#page(from: ChangePlace | null, max: number): AsyncGenerator<string, ChangePlace | null> {
    const { kernel, pause, bounds = limits } = this.#parts;
    let [count, bytes, piece] = [0, 0, ""];
    for (const kind of changeKinds.slice(from === null ? 0 : changeKinds.indexOf(from.kind))) {
      const after = kind === from?.kind ? from.id : "";
      for (const id of await idsAfter(after, max - count, kernel.all(kind), pause)) {
        const line = this.#objectLine(kind, id) ?? "";
        piece += line;
        bytes += line.length;
        if (++count >= max || bytes >= bounds.changesPageBytes) {
          yield piece;
          return { kind, id };
        }
        if (!this.#isSliceOver()) continue;
        yield piece;
        piece = "";
        await pause();
      }
    }
    yield piece;
    return null;
  }

  /** Returns the line of an object as it is now; undefined when it is gone, or too long. */
  #objectLine(kind: ChangeKind, id: string): string | undefined {
    const { kernel, leftOut, bounds = limits } = this.#parts;
    const object = kernel.render(kind, id, viewer, "en") as { readonly id: string } | undefined;
    if (object === undefined) return undefined;
    const isHidden = kind === "alarm" && kernel.get("alarm", id)?.hidden === true;
    const line =
      kind === "device" ? { device: object } : { alarm: { ...object, ...(isHidden && { hidden: true }) } };
    const text = lineOf(line);
    // The end of the line does not count.
    if (Buffer.byteLength(text) <= bounds.changeLineBytes + 1) return text;
    leftOut(kind, id);
    return undefined;
  }

  /** Counts a step. Returns whether other work must have a turn now. */
  #isSliceOver(): boolean {
    const { bounds = limits } = this.#parts;
    return ++this.#steps % bounds.changesSlice === 0;
  }

  get #hub(): Pick<Hub, "share" | "generation"> {
    const { kernel, hubId } = this.#parts;
    return kernel.get("hub", hubId) ?? { share: "none", generation: 0 };
  }

  /**
   * Returns the position in a cursor; undefined when it does not lead into this log: one of another generation or
   * from before a share, one whose commit was cut off, and one below the horizon, above which alone everything is
   * kept.
   */
  #position(after: string | undefined): ChangePosition | undefined {
    const position = positionIn(after ?? "", this.#hub);
    if (position === undefined) return undefined;
    const { timestamp } = position;
    const { log, timestamp: now } = this.#parts.kernel;
    if (timestamp < log.horizon || timestamp > now) return undefined;
    const [commit] = log.read(timestamp - 1, timestamp);
    return commit?.timestamp === timestamp ? position : undefined;
  }

  /** Returns whether there is nothing to tell after a cursor. */
  #isCurrent(after: string): boolean {
    const hub = this.#hub;
    if (hub.share === "none") return after === cursorOf(hub, { timestamp: 0 });
    const { timestamp = 0, index, place } = positionIn(after, hub) ?? {};
    // Only a request that may wait has to look into the log twice.
    const isNewest = timestamp >= this.#newest && index === undefined && place === undefined;
    return isNewest && this.#position(after) !== undefined;
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
