import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
  type ChangeEvent,
  changeKinds,
  type ChangeKind,
  type ChangeLine,
  type ChangePlace,
  type ChangesEnd,
  type ChangesHead,
} from "@ledge/link";
import type { TestKernel } from "@ledge/testkit";
import { Changes, type ChangesParts } from "./changes.ts";

/** What a cloud knows of a home that it follows. */
export class Follower {
  readonly devices = new Map<string, object>();
  readonly alarms = new Map<string, object>();
  readonly #rows: Readonly<Record<ChangeKind, Map<string, object>>> = {
    device: this.devices,
    alarm: this.alarms,
  };
  readonly events: ChangeEvent[] = [];
  cursor: string | undefined;
  share: ChangesHead["share"] | undefined;
  fulls = 0;
  more = false;

  /** Takes an answer. Like a cloud, it takes none without an end. */
  take([head, ...rest]: readonly object[]): void {
    const { share, full, from = null } = head as ChangesHead;
    const { next, more, upto = null } = rest.pop() as ChangesEnd;
    this.share = share;
    if (full && from === null) this.fulls++;
    if (share === "none") for (const kind of changeKinds) this.#rows[kind].clear();
    const named = new Set<string>();
    for (const line of rest as ChangeLine[]) {
      if ("event" in line) this.events.push(line.event);
      else if ("removed" in line) this.#rows[line.removed.kind].delete(line.removed.id);
      else {
        const [kind, object] =
          "device" in line ? (["device", line.device] as const) : (["alarm", line.alarm] as const);
        this.#rows[kind].set(object.id, object);
        named.add(`${kind} ${object.id}`);
      }
    }
    if (full) this.#removeMissing(named, from, upto);
    this.cursor = next;
    this.more = more;
  }

  /** Removes what a page does not name between two places. */
  #removeMissing(named: ReadonlySet<string>, from: ChangePlace | null, upto: ChangePlace | null): void {
    for (const kind of changeKinds)
      for (const id of this.#rows[kind].keys()) {
        const isBehind = from === null || comparePlaces({ kind, id }, from) > 0;
        const isWithin = isBehind && (upto === null || comparePlaces({ kind, id }, upto) <= 0);
        if (isWithin && !named.has(`${kind} ${id}`)) this.#rows[kind].delete(id);
      }
  }
}

function comparePlaces(one: ChangePlace, other: ChangePlace): number {
  const order = changeKinds.indexOf(one.kind) - changeKinds.indexOf(other.kind);
  if (order !== 0) return order;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

/** Makes the changes of a hub in memory. */
export function changesOf(
  { kernel, clock }: TestKernel,
  hubId: string,
  more: Partial<ChangesParts> = {},
): Changes {
  return new Changes({ kernel, hubId, clock, pause: () => setImmediate(), leftOut: () => {}, ...more });
}

/** Returns the lines of an answer that needs no wait. */
export async function answerOf(
  changes: Changes,
  after: string | undefined,
  max = 1000,
): Promise<readonly object[]> {
  const lines: object[] = [];
  const { signal } = new AbortController();
  for await (const piece of changes.pieces({ after, max, waitMs: 0 }, signal)) lines.push(...linesIn(piece));
  return lines;
}

/** Returns the lines of a piece of an answer. */
export function linesIn(piece: string): object[] {
  assert.match(piece, /^$|\n$/);
  return piece
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object);
}
