import assert from "node:assert/strict";
import type { Kernel, PollRequest, Viewer } from "@ledge/kernel";
import { categories } from "@ledge/model";

interface Delta {
  readonly type: string;
  readonly timestamp: number;
  readonly [field: string]: unknown;
}

/** POLL_DELTA (hub-api 2.2). */
export interface PollAnswer {
  readonly type: string;
  readonly timestamp: number;
  readonly full: boolean;
  readonly polls: readonly Delta[];
}

/** Objects by category field, such as `rooms`, and id. */
export type Known = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type Poll = (request: PollRequest) => Uint8Array | Promise<Uint8Array>;

/** Polls once and reads the answer. */
export async function pollOnce(poll: Poll, request: PollRequest): Promise<PollAnswer> {
  return JSON.parse(Buffer.from(await poll(request)).toString("utf8")) as PollAnswer;
}

/** A client as specified: it keeps the objects it received and asks for changes since. */
export class PollClient {
  readonly #legacy: boolean;
  readonly #objects = new Map<string, Map<string, unknown>>();
  /** The next `ts`. */
  cursor = 0;
  /** How many answers were full. */
  fulls = 0;

  /** @param legacy polls with one cursor per category instead of one cursor for everything. */
  constructor(legacy = false) {
    this.#legacy = legacy;
  }

  /** The home as the client knows it. */
  get known(): Known {
    return Object.fromEntries(
      categories.map(({ field }) => [field, Object.fromEntries(this.#objects.get(field) ?? [])]),
    );
  }

  async poll(kernel: Pick<Kernel, "poll">, viewer: Viewer, language = "en"): Promise<PollAnswer> {
    const byCategory = new Map(categories.map(({ type }) => [type, this.cursor]));
    const cursors = this.#legacy ? { byCategory } : { ts: this.cursor };
    const answer = await pollOnce((request) => kernel.poll(request), { viewer, cursors, language });
    this.apply(answer);
    return answer;
  }

  /** Applies an answer. Fails when the answer is not in the specified form (wire-facts 4, hub-api 2.2). */
  apply(answer: PollAnswer): void {
    assertForm(answer);
    const { full, polls, timestamp } = answer;
    if (full) this.fulls++;
    for (const { type, ...delta } of polls) {
      const field = categories.find((category) => category.type === type)?.field ?? "";
      const objects = (full ? undefined : this.#objects.get(field)) ?? new Map<string, unknown>();
      this.#objects.set(field, objects);
      for (const [id, object] of Object.entries(delta[field] as object)) {
        if (object === null) objects.delete(id);
        else objects.set(id, object);
      }
    }
    this.cursor = timestamp;
  }
}

function assertForm({ type, full, polls, timestamp }: PollAnswer): void {
  assert.equal(type, "POLL_DELTA");
  assert.ok(Number.isSafeInteger(timestamp));
  const order = categories.map((category) => category.type as string);
  const places = polls.map((delta) => order.indexOf(delta.type));
  assert.ok(!places.includes(-1), "only categories of the specification");
  assert.deepEqual(
    places,
    [...new Set(places)].toSorted((a, b) => a - b),
    "each at most once, in order",
  );
  if (full) assert.equal(polls.length, order.length, "a full answer holds every category");
  for (const [index, delta] of polls.entries()) {
    const field = categories[places[index] as number]?.field ?? "";
    const objects = Object.values(delta[field] as object);
    assert.deepEqual(Object.keys(delta), ["type", "timestamp", field]);
    assert.equal(delta.timestamp, timestamp);
    if (full) assert.ok(!objects.includes(null), "a full answer holds no deletions");
    else assert.ok(objects.length > 0, "an unchanged category is left out");
  }
}
