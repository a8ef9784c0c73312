import { LogError } from "@ledge/log";
import { type Block, blockOf, decodeCompaction, type Disk } from "@ledge/log/store";
import { limits } from "@ledge/model";
import type { Connections, Session } from "../connections.ts";

/** The key of the record of the newest compaction. */
export const compactionKey = "compaction";

/** The key of the record that is there while an import fills the database. */
export const importKey = "import";

/**
 * Reads everything that a log has stored, as of one moment.
 * @param isImport whether the caller fills the database
 * @throws LogError `damaged` when the record of its compaction cannot be read, `locked` while an import fills it
 */
export function readStored(connections: Connections, isImport: boolean): Promise<Disk> {
  return connections.transaction(async (session) => {
    await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const [record] = await session.query<{ bytes: Buffer }>(
      "SELECT bytes FROM ledge.log_records WHERE key = $1",
      [compactionKey],
    );
    const importing = await session.query("SELECT 1 FROM ledge.log_records WHERE key = $1", [importKey]);
    if (importing.length > 0 && !isImport)
      throw new LogError("locked", "an import into the database was not finished: start it again");
    const compaction = decodeCompaction(record?.bytes);
    if (record !== undefined && compaction === undefined)
      throw new LogError("damaged", "the record of the compaction is damaged");
    const parts = await session.query<{ key: string; bytes: Buffer }>(
      "SELECT key, bytes FROM ledge.log_parts",
    );
    const blocks: Block[] = [];
    for await (const block of blocksIn(session, 0)) blocks.push(block);
    return { blocks, parts: new Map(parts.map(({ key, bytes }) => [key, bytes])), compaction };
  });
}

/** Yields the blocks that begin after a timestamp, in order. */
async function* blocksIn(session: Session, after: number): AsyncGenerator<Block> {
  for (let from = after; ;) {
    const found = await session.query<{ timestamp: string; bytes: Buffer }>(
      "SELECT timestamp, bytes FROM ledge.log_blocks WHERE timestamp > $1 ORDER BY timestamp LIMIT $2",
      [from, limits.logSliceBlocks],
    );
    for (const { timestamp, bytes } of found) yield blockOf((from = Number(timestamp)), bytes);
    if (found.length < limits.logSliceBlocks) return;
  }
}
