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
    const records = await valuesIn(session, "log_records");
    if (records.has(importKey) && !isImport)
      throw new LogError("locked", "an import into the database was not finished: start it again");
    const record = records.get(compactionKey);
    const compaction = decodeCompaction(record);
    if (record !== undefined && compaction === undefined)
      throw new LogError("damaged", "the record of the compaction is damaged");
    return { blocks: await blocksIn(session), parts: await valuesIn(session, "log_parts"), compaction };
  });
}

/** Returns the values of a table by their keys. */
async function valuesIn(session: Session, table: "log_parts" | "log_records"): Promise<Map<string, Buffer>> {
  const found = await session.query<{ key: string; bytes: Buffer }>(`SELECT key, bytes FROM ledge.${table}`);
  return new Map(found.map(({ key, bytes }) => [key, bytes]));
}

/** Returns the blocks above a timestamp (ms) in order. Reads them in slices of `limits.logSliceBlocks`. */
export async function blocksIn(session: Session, after = 0): Promise<Block[]> {
  const blocks: Block[] = [];
  for (;;) {
    const found = await session.query<{ timestamp: string; bytes: Buffer }>(
      "SELECT timestamp, bytes FROM ledge.log_blocks WHERE timestamp > $1 ORDER BY timestamp LIMIT $2",
      [blocks.at(-1)?.timestamp ?? after, limits.logSliceBlocks],
    );
    for (const { timestamp, bytes } of found) blocks.push(blockOf(Number(timestamp), bytes));
    if (found.length < limits.logSliceBlocks) return blocks;
  }
}
