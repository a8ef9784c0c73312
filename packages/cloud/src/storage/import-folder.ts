import { renameSync } from "node:fs";
import { join } from "node:path";
import { openLmdbRegisterStore, type RegisterStore, type Row } from "@ledge/fleet";
import {
  DatabaseImport,
  openPostgresLog,
  openPostgresRegisterStore,
  PersonalKeyTable,
} from "@ledge/fleet-postgres";
import { logFolder } from "@ledge/host/folder";
import { createLogger } from "@ledge/host/logger";
import { PersonalKeys } from "@ledge/host/personal/keys";
import { SecretKeys } from "@ledge/host/secrets/keys";
import { type EventLog, openLmdbLog } from "@ledge/log";
import { limits } from "@ledge/model";
import { readersOf } from "../egress/lane.ts";
import { SharedKeys } from "./shared-keys.ts";
import { cloudSubject } from "../folder/backup-subject.ts";

/** How much an import has copied. */
export interface Imported {
  readonly commits: number;
  readonly sources: number;
  readonly rows: number;
  readonly messages: number;
}

/** How many appends may be under way at once, so that they share blocks. */
const appendsInFlight = 1000;

/**
 * Copies the cloud of a folder, on which no process runs, into an empty database: its log, the rows of its registers with
 * their cursors, and its outboxes with what their readers have read. Then sets both aside in the folder, which keeps its
 * keys. Started again after it was cut off, it begins anew.
 * @throws LogError, RegisterStoreError
 */
export async function importFolder(folder: string, url: string): Promise<Imported> {
  const from = await openLmdbLog({ folder: logFolder(folder) });
  let imported: Imported;
  try {
    const database = await DatabaseImport.begin(url);
    try {
      await copyKeys(folder, url);
      const commits = await copyLog(from, url);
      imported = { commits, ...(await copyRegisters(folder, from, { url, database })) };
      await database.finish();
    } finally {
      await database.close();
    }
  } finally {
    await from.close();
  }
  for (const name of ["log", "registers"]) renameSync(join(folder, name), join(folder, `${name}.imported`));
  return imported;
}

/** The keys of people go along, sealed with the secret key, which stays in the folder. */
async function copyKeys(folder: string, url: string): Promise<void> {
  const table = new PersonalKeyTable(url);
  try {
    const keys = await SharedKeys.open(table, new SecretKeys(folder), createLogger("error"));
    keys.add(new PersonalKeys(folder).all);
    await keys.flush();
  } finally {
    await table.close();
  }
}

/** What is sealed stays sealed. */
async function copyLog(from: EventLog, url: string): Promise<number> {
  const to = await openPostgresLog({ url, isImport: true });
  const { horizon } = from;
  let count = 0;
  try {
    const pending: Promise<void>[] = [];
    const settle = async (): Promise<void> => void (await Promise.all(pending.splice(0)));
    const mark = async (): Promise<void> => {
      await settle();
      if (to.horizon < horizon) await to.markHorizon(horizon);
    };
    for (const commit of from.readSealed()) {
      if (commit.timestamp > horizon) await mark();
      pending.push(to.append(commit));
      count += 1;
      if (pending.length >= appendsInFlight) await settle();
    }
    await mark();
    for (const { format, timestamp } of from.bases()) {
      const base = from.loadBase(format, timestamp);
      if (base?.timestamp === timestamp) await to.saveBase(base);
    }
  } finally {
    await to.close();
  }
  return count;
}

async function copyRegisters(
  folder: string,
  log: EventLog,
  { url, database }: { readonly url: string; readonly database: DatabaseImport },
): Promise<Omit<Imported, "commits">> {
  const from = await openLmdbRegisterStore({
    folder: join(folder, "registers"),
    now: () => 0,
    onDiscarded: (problem) => {
      throw new Error(`the registers are damaged, and hubs tell them anew: remove them first (${problem})`);
    },
  });
  const to = await openPostgresRegisterStore({ url });
  try {
    const sources = await from.sources();
    const { registers, targets } = namedIn(log);
    let rows = 0;
    let messages = 0;
    for (const register of new Set([...sources, ...registers]))
      for (const kind of ["device", "alarm"] as const)
        for await (const slice of slicesOf(from.scan(register, kind))) {
          for (const [source, own] of Map.groupBy(slice, (row) => row.source))
            await copyBatch(from, to, source, own);
          rows += slice.length;
        }
    for (const source of sources) await copyBatch(from, to, source, []);
    for (const [topic, ids] of targets) {
      messages += await copyOutbox(from, database, topic);
      for (const reader of ids.flatMap((id) => readersOf(topic, id)))
        await to.moveCursor(reader, 0, await from.positionOf(reader));
    }
    return { sources: sources.length, rows, messages };
  } finally {
    await from.close();
    await to.close();
  }
}

/** Returns the registers of tenants, and the sites with their egress targets. */
function namedIn(log: EventLog): {
  registers: readonly string[];
  targets: ReadonlyMap<string, readonly string[]>;
} {
  const registers: string[] = [];
  const targets = new Map<string, readonly string[]>();
  for (const row of cloudSubject.replay(log).rows) {
    const { kind, id, state } = row as { kind?: string; id: string; state?: { readonly targets?: object } };
    if (kind === "deviceRegister") registers.push(id);
    if (kind === "egress") targets.set(id, Object.keys(state?.targets ?? {}));
  }
  return { registers, targets };
}

async function* slicesOf(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let slice: Row[] = [];
  for await (const row of rows) {
    slice.push(row);
    if (slice.length < limits.scanSliceRows) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** Stores a part of what a source has, with the cursor of the whole. */
async function copyBatch(
  from: RegisterStore,
  to: RegisterStore,
  source: string,
  rows: readonly Row[],
): Promise<void> {
  const state = await from.cursorOf(source);
  if (state === undefined) return;
  const { cursor, generation, note } = state;
  const applied = await to.apply({
    source,
    generation,
    after: (await to.cursorOf(source))?.cursor ?? null,
    upto: cursor,
    upserts: rows,
    removals: [],
    outbox: [],
    ...(note !== undefined && { note }),
  });
  if (applied.outcome === "refused" || applied.leftOut.length > 0)
    throw new Error(`the database did not take everything of ${source}`);
}

/** @returns how many messages it has */
async function copyOutbox(from: RegisterStore, database: DatabaseImport, topic: string): Promise<number> {
  let count = 0;
  for (let position = 0; ;) {
    const entries = await from.outbox(topic, position, limits.scanSliceRows);
    const last = entries.at(-1);
    if (last === undefined) return count;
    await database.putMessages(topic, entries);
    count += entries.length;
    ({ position } = last);
  }
}
