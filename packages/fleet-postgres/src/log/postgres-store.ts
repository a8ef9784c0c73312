import { setTimeout } from "node:timers/promises";
import { LogError } from "@ledge/log";
import { type Block, type Change, type Disk, encodeCompaction, MirroredStore } from "@ledge/log/store";
import { limits } from "@ledge/model";
import type { Connections, Session } from "../connections.ts";
import { blocksIn, compactionKey, readStored } from "./reading.ts";

/** Classes of SQLSTATE that no later try changes: wrong data, constraints, what the role may not, inner errors. */
const finalClasses: ReadonlySet<string> = new Set(["22", "23", "42", "XX"]);

/** The lease that a writer holds: what it appends under an older epoch than the stored one is refused. */
export interface Fence {
  readonly lease: string;
  readonly epoch: number;
}

/** How a log is written. */
export interface Writing {
  /** Absent when no other process can write. */
  readonly fence?: Fence;
  /** Stores what a block needs, and is awaited before each append. Its errors count as errors of the append. */
  readonly before?: () => Promise<void>;
  /**
   * Called with a reason when the database takes no writes, and with undefined when it takes them again. Writes wait
   * meanwhile.
   */
  readonly onOutage?: (reason: string | undefined) => void;
  /** Set while another process writes the log: this one takes no writes until it is `lead`. */
  readonly isFollowing?: boolean;
}

/** Keeps a log in a database. A write is tried until the database says whether it counts. */
export class PostgresStore extends MirroredStore {
  readonly #connections: Connections;
  #fence: Fence | undefined;
  #isFollowing: boolean;
  readonly #before: () => Promise<void>;
  readonly #onOutage: (reason: string | undefined) => void;
  readonly #abandoned = new AbortController();
  #isOut = false;

  constructor(
    connections: Connections,
    disk: Disk,
    { fence, before = async () => {}, onOutage = () => {}, isFollowing = false }: Writing,
  ) {
    super(disk);
    this.#connections = connections;
    this.#fence = fence;
    this.#before = before;
    this.#onOutage = onOutage;
    this.#isFollowing = isFollowing;
  }

  override get readOnly(): boolean {
    return this.#isFollowing;
  }

  /** Reads what other processes have stored since. @returns whether there was anything */
  async catchUp(): Promise<boolean> {
    const blocks = await blocksIn(this.#connections, this.lastBlock()?.timestamp);
    if (!this.#isFollowing) return false;
    this.extend(blocks);
    return blocks.length > 0;
  }

  /** Reads all that is stored, and takes writes under this fence from now on. */
  async lead(fence: Fence): Promise<void> {
    const disk = await readStored(this.#connections, false);
    this.#fence = fence;
    this.reread(disk);
    this.#isFollowing = false;
  }

  abandon(): void {
    this.#abandoned.abort();
  }

  protected async keep({ block, ...change }: Change): Promise<void> {
    const { signal } = this.#abandoned;
    for (;;) {
      try {
        if (signal.aborted) throw new LogError("failed", "the log takes no more");
        if (block === undefined)
          await this.#connections.transaction((session) => this.#change(session, change));
        else {
          await this.#before();
          await this.#append(block);
        }
        this.#tell(undefined);
        return;
      } catch (error) {
        const reason = outageIn(error as Error);
        if (reason === undefined || signal.aborted) throw error;
        this.#tell(reason);
        await setTimeout(limits.logRetryMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  #tell(reason: string | undefined): void {
    const isOut = reason !== undefined;
    if (isOut === this.#isOut) return;
    this.#isOut = isOut;
    this.#onOutage(reason);
  }

  /**
   * In one statement, which a lost connection may have left stored: the same block again changes nothing. A standby that
   * was promoted before it had all acknowledged blocks takes no further one.
   */
  async #append({ timestamp, bytes }: Block): Promise<void> {
    const fence = this.#fence;
    // Compaction never removes the newest block.
    const last = this.lastBlock()?.timestamp ?? null;
    const stored = await this.#connections.query(
      fence === undefined
        ? "INSERT INTO ledge.log_blocks VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1"
        : `WITH fence AS (SELECT FROM ledge.leases WHERE name = $3 AND epoch = $4 FOR SHARE)
           INSERT INTO ledge.log_blocks SELECT $1::bigint, $2::bytea FROM fence
           WHERE $5::bigint IS NULL OR EXISTS (SELECT FROM ledge.log_blocks WHERE timestamp >= $5)
           ON CONFLICT DO NOTHING RETURNING 1`,
      fence === undefined ? [timestamp, bytes] : [timestamp, bytes, fence.lease, fence.epoch, last],
    );
    if (stored.length > 0) return;
    const [found] = await this.#connections.query<{ isSame: boolean }>(
      `SELECT bytes = $2 AS "isSame" FROM ledge.log_blocks WHERE timestamp = $1`,
      [timestamp, bytes],
    );
    if (found?.isSame === true) return;
    if (found !== undefined || fence === undefined || !(await isHeld(this.#connections, fence)))
      throw overtaken();
    throw new LogError(
      "failed",
      `the database has lost what it had acknowledged, at least of ${last}: start the cloud again to go on without it`,
    );
  }

  async #change(session: Session, { rewrite, parts }: Omit<Change, "block">): Promise<void> {
    if (this.#fence !== undefined) await requireFence(session, this.#fence);
    if (rewrite !== undefined) {
      await session.query("DELETE FROM ledge.log_blocks WHERE timestamp = ANY($1::bigint[])", [
        rewrite.removed,
      ]);
      await session.query("INSERT INTO ledge.log_blocks SELECT * FROM unnest($1::bigint[], $2::bytea[])", [
        rewrite.blocks.map(({ timestamp }) => timestamp),
        rewrite.blocks.map(({ bytes }) => bytes),
      ]);
      await session.query(
        "INSERT INTO ledge.log_records VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes",
        [compactionKey, encodeCompaction(rewrite.compaction)],
      );
    }
    const kept = [...(parts ?? [])];
    const gone = kept.flatMap(([key, bytes]) => (bytes === undefined ? [key] : []));
    const put = kept.flatMap(([key, bytes]) => (bytes === undefined ? [] : [{ key, bytes }]));
    if (gone.length > 0) await session.query("DELETE FROM ledge.log_parts WHERE key = ANY($1)", [gone]);
    if (put.length > 0)
      await session.query(
        `INSERT INTO ledge.log_parts SELECT * FROM unnest($1::text[], $2::bytea[])
         ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes`,
        [put.map(({ key }) => key), put.map(({ bytes }) => bytes)],
      );
  }

  /** A database tears no write, so an end that cannot be read is damage, which nobody cuts off. */
  override cut(block: Block): void {
    throw new LogError("damaged", `the end of the log is unreadable from ${block.timestamp} on`);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** Keeps the lease as it is until the transaction ends. */
async function requireFence(session: Session, fence: Fence): Promise<void> {
  if (!(await isHeld(session, fence, "FOR SHARE"))) throw overtaken();
}

async function isHeld(session: Session, { lease, epoch }: Fence, lock = ""): Promise<boolean> {
  const query = `SELECT 1 FROM ledge.leases WHERE name = $1 AND epoch = $2 ${lock}`;
  return (await session.query(query, [lease, epoch])).length > 0;
}

function overtaken(): LogError {
  return new LogError("failed", "another process has become the writer of the log");
}

/**
 * Returns the message of an error that may pass, such as a lost connection or a full disk; undefined for an error that
 * every later try would meet too.
 */
function outageIn(error: Error): string | undefined {
  if (error instanceof LogError) return undefined;
  const { cause = error, message } = error;
  const { code } = cause as { readonly code?: unknown };
  return typeof code === "string" && finalClasses.has(code.slice(0, 2)) ? undefined : message;
}
