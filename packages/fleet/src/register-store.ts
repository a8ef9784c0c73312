import type { ListQuery, Page } from "./list/query.ts";
import type { Row, RowKey, RowKind } from "./row.ts";

/**
 * What the platform knows of all registers, for its lists. A projection of the platform's log and of the hubs'
 * logs: everything but the outbox can be made again. Implementations pass the suite of `@ledge/fleet/contract`.
 *
 * A method that writes resolves when a query would see what it wrote.
 */
export interface RegisterStore {
  /**
   * Applies a batch in one transaction, or nothing of it.
   *
   * A row belongs to the source that wrote it first: another source can neither change nor remove it. The
   * timestamp of a row never goes back, and the `createdAt` of a device that is stored stays. A row that would be equal to the stored one is not written.
   */
  apply(batch: Batch): Promise<Applied | Refused>;

  /** Returns how far a source has been applied; undefined for one that was never applied or was forgotten. */
  cursorOf(source: string): Promise<SourceState | undefined>;

  /** Returns the ids of all sources that have a cursor, in order. */
  sources(): Promise<readonly string[]>;

  get(key: RowKey): Promise<Row | undefined>;

  /** Returns a page of the devices of a register. */
  page(register: string, query: ListQuery): Promise<Page>;

  /**
   * Yields the rows of a kind, by id in order of code points. Rows that change meanwhile come in either form.
   * @param range only ids after `after` and up to `until`
   */
  scan(register: string, kind: RowKind, range?: IdRange): AsyncIterable<Row>;

  /**
   * Returns up to `max` entries of a topic's outbox after a position, oldest first.
   * @param bytes ends with the entry that reaches it, as stored; default: no end
   */
  outbox(topic: string, after: number, max: number, bytes?: number): Promise<readonly OutboxEntry[]>;

  /** Returns the position up to which a reader has read an outbox, 0 at first. */
  positionOf(reader: string): Promise<number>;

  /**
   * Moves a reader of an outbox. One that is moved to 0 is forgotten.
   * @returns false when its position is not `from`: another process reads for it
   */
  moveCursor(reader: string, from: number, to: number): Promise<boolean>;

  /**
   * Removes what every reader has read: the entries of a topic's outbox up to a position.
   * @returns how many there were
   */
  trimOutbox(topic: string, upto: number): Promise<number>;

  /** Returns the position up to which a topic's outbox has more than its newest `count` entries; 0 if it has not. */
  beyondNewest(topic: string, count: number): Promise<number>;

  /** Returns about how many bytes a topic's outbox has. */
  outboxBytes(topic: string): Promise<number>;

  /**
   * Deletes all rows of a source, what it left in outboxes, and its cursor. Meanwhile batches of the source are
   * refused. A store that was closed or killed in between continues when it is opened.
   */
  forget(source: string): Promise<void>;

  /**
   * Takes or renews a lease.
   * @param forMs how long it holds from now
   * @returns undefined while another holder has it. The epoch grows with each change of holder, and
   *   after a release.
   */
  takeLease(name: string, holder: string, forMs: number): Promise<Lease | undefined>;

  /** Releases a lease of this holder; ignores one that it does not hold. */
  releaseLease(name: string, holder: string): Promise<void>;

  /** Returns the valid leases whose names begin with a prefix, by name. */
  leases(prefix: string): Promise<readonly Lease[]>;

  close(): Promise<void>;
}

export interface Batch {
  readonly source: string;
  /** Grows when the source begins anew, such as a hub after a restore. An older one is refused. */
  readonly generation: number;
  /** The stored cursor of the source; null for a source without one. Any other value is refused. */
  readonly after: string | null;
  /** The cursor after this batch. */
  readonly upto: string;
  /** Their `source` is that of the batch. When several have one key, the last counts. */
  readonly upserts: readonly Row[];
  /** Carried out before `upserts`. */
  readonly removals: readonly RowKey[];
  readonly outbox: readonly OutboxMessage[];
  /** What the source says of itself, such as what a hub shares. Absent: as before. */
  readonly note?: string;
}

/** What a batch did. */
export interface Applied {
  readonly outcome: "applied";
  /** The rows that changed, appeared or went, each once. */
  readonly changed: readonly RowKey[];
  /** Rows that were left out because another source has a row with their id, or theirs has as many as it may have. */
  readonly leftOut: readonly RowKey[];
}

/** Why nothing of a batch was applied. */
export interface Refused {
  readonly outcome: "refused";
  /** `forgetting`: the source is being deleted. */
  readonly reason: "cursor" | "generation" | "forgetting";
  readonly stored: SourceState | undefined;
}

export interface SourceState {
  readonly cursor: string;
  readonly generation: number;
  /** The last `note` of a batch; absent when there was none. */
  readonly note?: string;
}

export interface IdRange {
  readonly after?: string;
  readonly until?: string;
}

/** A message for a topic, such as a site. */
export interface OutboxMessage {
  readonly topic: string;
  /** The event at its source. */
  readonly ref: string;
  readonly body: unknown;
}

/** A message in the outbox. Positions of a topic grow; they may have gaps. */
export interface OutboxEntry extends OutboxMessage {
  readonly position: number;
  readonly source: string;
}

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
  /** Until when it holds (ms since the epoch). */
  readonly until: number;
}

/** The store cannot be read or written. */
export class RegisterStoreError extends Error {
  override readonly name = "RegisterStoreError";
  /** `damaged`: discard it and build it again. `full`: the disk is full. */
  readonly code: "damaged" | "full" | "failed" | "closed";
  constructor(code: RegisterStoreError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
