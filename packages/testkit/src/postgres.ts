import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ServerProcess } from "./server-process.ts";
import { SmallDisk } from "./small-disk.ts";

/** Where Debian puts the programs of its newest PostgreSQL. */
function programs(): string {
  const found = globSync("/usr/lib/postgresql/*/bin").toSorted();
  const newest = found.at(-1);
  if (newest === undefined) throw new Error("PostgreSQL is not installed");
  return newest;
}

/** The user that runs the server: it refuses root. */
function userOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"]).toString());
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** A PostgreSQL server of its own, in a folder of its own, which listens on a socket there. */
export class PostgresServer {
  readonly #folder: string;
  readonly #user = userOf();
  readonly #address: string;
  #process: ServerProcess | undefined;

  private constructor(address = "") {
    this.#folder = mkdtempSync(join(tmpdir(), "ledge-postgres-"));
    this.#own(this.#folder);
    this.#address = address;
  }

  /**
   * Makes and starts a server. It does not flush to its disk, so it survives a killed process alone.
   * @param address of this machine, at whose port 5432 it listens too, for everybody in its /28
   */
  static async start(address?: string): Promise<PostgresServer> {
    const server = new PostgresServer(address);
    server.#run("initdb", "-D", server.#data, "-U", "ledge", "-A", "trust", "-E", "UTF8", "--locale=C", "-N");
    if (address !== undefined)
      appendFileSync(join(server.#data, "pg_hba.conf"), `host all all ${address}/28 trust\n`);
    await server.resume();
    return server;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  /** The address of a database, for clients. */
  url(database = "postgres"): string {
    return `postgres://ledge@localhost/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  /** Makes an empty database. @param tablespace where its tables are @returns its address */
  create(database: string, tablespace?: string): string {
    this.tool("createdb", ...(tablespace === undefined ? [] : ["-D", tablespace]), database);
    return this.url(database);
  }

  /** Makes a disk of its own, and a tablespace of that name there, for tables and indexes alone. Needs root. */
  smallDisk(tablespace: string, megabytes: number): SmallDisk {
    const disk = new SmallDisk(megabytes, this.#user);
    const made = `CREATE TABLESPACE ${tablespace} LOCATION '${disk.path}'`;
    this.tool("psql", "-q", "-d", "postgres", "-c", made);
    return disk;
  }

  /** Starts the server again with its write-ahead log on a disk of its own. Needs root. */
  async walDisk(megabytes: number): Promise<SmallDisk> {
    await this.#end("SIGINT");
    const disk = new SmallDisk(megabytes, this.#user);
    const wal = join(this.#data, "pg_wal");
    execFileSync("cp", ["-a", `${wal}/.`, disk.path]);
    rmSync(wal, { recursive: true });
    symlinkSync(disk.path, wal);
    await this.resume();
    return disk;
  }

  /** Waits for an end that a test expects. @returns the last words of the server */
  async ended(): Promise<string> {
    const said = await this.#process?.ended();
    this.#process = undefined;
    return said ?? "";
  }

  /**
   * Makes and starts a second server that follows this one.
   * @param isSynchronous whether this one acknowledges only what the other has, from now on
   */
  async standby({ isSynchronous = false } = {}): Promise<PostgresServer> {
    const other = new PostgresServer();
    this.tool("pg_basebackup", "-D", other.#data, "-R", "-X", "stream", "-c", "fast", "-N");
    await other.resume();
    if (isSynchronous) {
      const set = "ALTER SYSTEM SET synchronous_standby_names = '*'";
      this.tool("psql", "-q", "-d", "postgres", "-c", set, "-c", "SELECT pg_reload_conf()");
    }
    return other;
  }

  /** Ends following: this server takes writes from now on. */
  promote(): void {
    this.#run("pg_ctl", "promote", "-D", this.#data, "-w");
  }

  /** The id of its first process. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The folder of the server's socket. */
  get folder(): string {
    return this.#folder;
  }

  /** Runs a program of PostgreSQL as a client of this server. */
  tool(program: string, ...args: readonly string[]): void {
    this.#run(program, ...this.#asClient, ...args);
  }

  /** Feeds lines to a statement COPY … FROM STDIN. @param texts each of whole lines */
  async copy(database: string, statement: string, texts: Iterable<string>): Promise<void> {
    const args = [...this.#asClient, "-d", database, "-q", "-X", "-c", statement];
    const child = spawn(join(programs(), "psql"), args, {
      stdio: ["pipe", "ignore", "pipe"],
      cwd: this.#folder,
      ...this.#user,
    });
    const said: string[] = [];
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    const ended = once(child, "close");
    const fed = pipeline(Readable.from(texts), child.stdin);
    // When psql has refused something, its own words say more.
    fed.catch(() => {});
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`psql ended with ${code}: ${said.join("")}`);
    await fed;
  }

  /** Makes a folder that the server can write, beside its data, and returns its path. */
  makeFolder(name: string): string {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    this.#own(folder);
    return folder;
  }

  /**
   * Starts a server on a base backup of this one and what it has archived since.
   * @param backup the folder of the backup, which the new server takes over
   * @param until the moment to which it goes forward, as PostgreSQL writes times
   */
  async restored(backup: string, archive: string, until: string): Promise<PostgresServer> {
    const other = new PostgresServer();
    renameSync(backup, other.#data);
    writeFileSync(join(other.#data, "recovery.signal"), "");
    await other.resume(
      `restore_command=cp ${archive}/%f %p`,
      `recovery_target_time=${until}`,
      "recovery_target_action=promote",
    );
    return other;
  }

  /** Starts the server on the data that it has. @param more settings, `name=value` */
  async resume(...more: readonly string[]): Promise<void> {
    const settings = [
      `listen_addresses=${this.#address}`,
      "fsync=off",
      "max_connections=100",
      "log_min_messages=log",
      ...more,
    ];
    const args = ["-D", this.#data, "-k", this.#folder, ...settings.flatMap((setting) => ["-c", setting])];
    this.#process = await ServerProcess.start({
      command: [join(programs(), "postgres"), ...args],
      isReady: /database system is ready to accept (read-only )?connections/,
      endsBy: "SIGQUIT",
      options: { cwd: this.#folder, ...this.#user },
    });
  }

  /** Ends the server and starts it again with more settings. */
  async restart(...more: readonly string[]): Promise<void> {
    await this.#end("SIGINT");
    await this.resume(...more);
  }

  /** Kills the server at once, with all its connections. */
  async kill(): Promise<void> {
    await this.#end("SIGQUIT");
  }

  /** Ends the server and removes its folder. */
  async remove(): Promise<void> {
    await this.#end("SIGINT");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What programs of PostgreSQL need to reach the server. */
  get #asClient(): readonly string[] {
    return ["-h", this.#folder, "-U", "ledge"];
  }

  /** Gives a folder to the user that runs the server. */
  #own(folder: string): void {
    if (this.#user !== undefined) chownSync(folder, this.#user.uid, this.#user.gid);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    await this.#process?.end(signal);
    this.#process = undefined;
  }

  #run(program: string, ...args: readonly string[]): void {
    execFileSync(join(programs(), program), args, { cwd: this.#folder, stdio: "pipe", ...this.#user });
  }
}
