import { limits } from "@ledge/model";
import type { HubProcess } from "../hubs/hub-process.ts";

/** What has changed about a hub's tunnel at a process. */
export interface TunnelChange {
  readonly hubId: string;
  /** Absent when the tunnel is gone. */
  readonly process?: HubProcess;
  /** When the tunnel was dialled, or went (ms since the epoch). */
  readonly since: number;
}

/** A part of what has changed since a version, oldest first. */
export interface TunnelNewsPage {
  /** Up to where the part goes: the next one is asked for after it. */
  readonly version: number;
  readonly changes: readonly TunnelChange[];
  /** Whether these are all there are, because what has gone since the version may be forgotten. */
  readonly isAll: boolean;
}

interface Numbered {
  readonly change: TunnelChange;
  readonly version: number;
}

/**
 * The last change of each hub. A change, and each one in an answer, take the same work however many hubs there are: all
 * hubs of a process may dial in the same minute.
 */
export class TunnelChanges {
  readonly #mostGone: number;
  readonly #last = new Map<string, Numbered>();
  /** Hubs that have gone, oldest first. */
  readonly #gone = new Set<string>();
  /** In order, with some that later ones replace. */
  #recent: Numbered[] = [];
  #version = 0;
  /** The last one that was forgotten. */
  #forgotten = 0;

  /** @param mostGone how many hubs that have gone are remembered at most; half as many always */
  constructor(mostGone: number) {
    this.#mostGone = mostGone;
  }

  get version(): number {
    return this.#version;
  }

  /** Returns the tunnel of a hub; undefined when it has none here. */
  of(hubId: string): TunnelChange | undefined {
    const change = this.#last.get(hubId)?.change;
    return change?.process === undefined ? undefined : change;
  }

  note(change: TunnelChange): void {
    const { hubId } = change;
    const numbered = { change, version: ++this.#version };
    this.#last.set(hubId, numbered);
    this.#gone.delete(hubId);
    if (change.process === undefined) this.#goes(hubId);
    this.#recent.push(numbered);
    if (this.#recent.length > 2 * this.#last.size)
      this.#recent = this.#recent.filter((one) => this.#isLast(one));
  }

  /** Returns what has changed after a version. @param most how many changes, unless all have to be told */
  after(version: number, most: number = limits.peerNewsChanges): TunnelNewsPage {
    const isAll = version < this.#forgotten;
    const room = isAll ? Infinity : most;
    const changes: TunnelChange[] = [];
    let at = isAll ? 0 : this.#placeAfter(version);
    for (; at < this.#recent.length && changes.length < room; at++) {
      const one = this.#recent[at] as Numbered;
      if (this.#isLast(one)) changes.push(one.change);
    }
    const upto = at < this.#recent.length ? (this.#recent[at - 1] as Numbered).version : this.#version;
    return { version: upto, changes, isAll };
  }

  #goes(hubId: string): void {
    this.#gone.add(hubId);
    if (this.#gone.size <= this.#mostGone) return;
    // Half of them at once: to find the oldest entry of a set takes as long as many were deleted before it.
    const most = Math.floor(this.#mostGone / 2);
    for (const oldest of this.#gone) {
      if (this.#gone.size <= most) break;
      this.#forgotten = this.#last.get(oldest)?.version ?? this.#forgotten;
      this.#gone.delete(oldest);
      this.#last.delete(oldest);
    }
  }

  #isLast({ change, version }: Numbered): boolean {
    return this.#last.get(change.hubId)?.version === version;
  }

  /** Returns the place of the first change after a version. */
  #placeAfter(version: number): number {
    let [low, high] = [0, this.#recent.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#recent[middle] as Numbered).version > version) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
