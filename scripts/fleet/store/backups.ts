import { chmodSync, cpSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { CloudProcess } from "@ledge/cloud/process";
import type { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import { timed } from "./filling.ts";
import type { Owner } from "./owner.ts";

export interface RestoreOptions {
  readonly server: PostgresServer;
  /** Of the cloud, which does not run. */
  readonly folder: string;
  readonly settings: readonly string[];
  readonly owners: readonly Owner[];
  /** What their lists said. */
  readonly answers: readonly string[];
  readonly tell: (line: string) => void;
}

export interface Restored {
  readonly dumpS: number;
  readonly dumpMB: number;
  readonly loadS: number;
  readonly baseBackupS: number;
  readonly baseBackupMB: number;
  /** From the start of a server on the base backup until it had gone forward to the moment and took writes. */
  readonly forwardS: number;
  /** Whether a cloud on each restored database gave the same answers to the same tokens. */
  readonly isSame: boolean;
  /** Whether what was changed before the moment is there, and what was changed after it is not. */
  readonly isOfMoment: boolean;
}

/** Restores a database by a dump, and by a base backup with the WAL up to a moment. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { server, settings, tell } = options;
  const dump = join(server.makeFolder("dumps"), "dump");
  const dumpS = await timed(() => server.tool("pg_dump", "-Fd", "-j2", "-Z1", "-f", dump, "postgres"));
  const dumpMB = megabytes(dump);
  server.create("loaded");
  const loadS = await timed(() => server.tool("pg_restore", "-j2", "-d", "loaded", dump));
  tell(`dumped in ${dumpS} s, ${dumpMB} MB; loaded in ${loadS} s`);
  const isLoadedSame = await isSame(options, "loaded", server.url("loaded"));
  server.tool("dropdb", "loaded");

  const archive = server.makeFolder("archive");
  await server.restart(...settings, "archive_mode=on", `archive_command=cp %p ${archive}/%f`);
  const backup = join(server.makeFolder("backups"), "base");
  const baseBackupS = await timed(() =>
    server.tool("pg_basebackup", "-D", backup, "-X", "none", "-c", "fast"),
  );
  const baseBackupMB = megabytes(backup);
  tell(`base backup in ${baseBackupS} s, ${baseBackupMB} MB`);
  const moment = await changedAround(server);
  let other: PostgresServer | undefined;
  const forwardS = await timed(async () => (other = await server.restored(backup, archive, moment)));
  if (other === undefined) throw new Error("no server was restored");
  try {
    tell(`gone forward in ${forwardS} s`);
    const isOfMoment = await isAt(other);
    const isForwardSame = await isSame(options, "forward", other.url());
    const found = { dumpS, dumpMB, loadS, baseBackupS, baseBackupMB, forwardS };
    return { ...found, isSame: isLoadedSame && isForwardSame, isOfMoment };
  } finally {
    await other.remove();
  }
}

/** Changes something, and then again. @returns a moment in between, once the WAL of both is archived */
async function changedAround(server: PostgresServer): Promise<string> {
  const client = new pg.Client(server.url());
  await client.connect();
  try {
    await client.query("INSERT INTO ledge.readers VALUES ('before', 1)");
    const { rows } = await client.query<{ now: string }>("SELECT clock_timestamp()::text AS now");
    await client.query("SELECT pg_sleep(0.01)");
    await client.query("INSERT INTO ledge.readers VALUES ('after', 1)");
    const { rows: switched } = await client.query<{ file: string }>(
      "SELECT pg_walfile_name(pg_switch_wal()) AS file",
    );
    for (let archived = ""; archived < (switched[0]?.file ?? "");) {
      const { rows: last } = await client.query<{ file: string | null }>(
        "SELECT last_archived_wal AS file FROM pg_stat_archiver",
      );
      archived = last[0]?.file ?? "";
    }
    return rows[0]?.now ?? "";
  } finally {
    await client.end();
  }
}

async function isAt(server: PostgresServer): Promise<boolean> {
  const client = new pg.Client(server.url());
  await client.connect();
  try {
    // The server takes connections before it has gone forward all the way.
    for (let isBehind = true; isBehind;) {
      const { rows } = await client.query<{ isBehind: boolean }>('SELECT pg_is_in_recovery() AS "isBehind"');
      isBehind = rows[0]?.isBehind === true;
    }
    const { rows } = await client.query<{ name: string }>("SELECT name FROM ledge.readers ORDER BY name");
    return rows.map(({ name }) => name).join() === "before";
  } finally {
    await client.end();
  }
}

async function isSame(
  { folder, owners, answers }: RestoreOptions,
  name: string,
  url: string,
): Promise<boolean> {
  const copy = `${folder}-${name}`;
  cpSync(folder, copy, { recursive: true });
  chmodSync(copy, 0o700);
  const cloud = await CloudProcess.start(copy, "--store", url);
  try {
    const found = await Promise.all(owners.map((owner) => owner.answers(cloud)));
    return found.every((answer, at) => answer === answers[at]);
  } finally {
    await cloud.stop();
  }
}

function megabytes(folder: string): number {
  const files = globSync("**/*", { cwd: folder }).map((file) => statSync(join(folder, file)));
  return Math.round(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1e6);
}
