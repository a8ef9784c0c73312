import { setTimeout } from "node:timers/promises";
import { TellingHub } from "@ledge/cloud/telling-hub";
import { temporaryFolder } from "@ledge/testkit";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { isControlCaught } from "./control.ts";
import { Nodes } from "./nodes.ts";
import { asked, namesIn, Writer } from "./writer.ts";

export interface ProofOptions {
  /** How often a process is killed; each fourth time the one that writes. */
  readonly kills: number;
  /** Accounts that write at the same time, each one request after the other. */
  readonly writers: number;
  /** How long (ms) the broker and the database are away, at least: until the load has had the answers that come meanwhile. */
  readonly awayMs: number;
  readonly tell: (line: string) => void;
}

export interface Proof {
  readonly kills: number;
  /** Changes that were answered as stored. */
  readonly acknowledged: number;
  /** Acknowledged changes that some process does not know at the end. */
  readonly lost: number;
  /** From a kill of the process that writes to the next change that was stored (ms), sorted. */
  readonly takeoverMs: readonly number[];
  /** The longest time (ms) from a kill until the registers had what the hubs have. */
  readonly rowsEqualMs: number;
  /** Changes that failed twice while all processes were restarted one after the other. */
  readonly failedInRestart: number;
  /** While the broker was away, and while the database was. */
  readonly withoutBroker: Outage;
  readonly withoutDatabase: Outage;
  /** Whether the control, two writers of which none is fenced, was seen to be damaged. */
  readonly controlCaught: boolean;
}

/** What became of the load while a server was away. */
export interface Outage {
  /** Changes that were stored, and that failed twice. */
  readonly stored: number;
  readonly failed: number;
  /** Tries that were answered that nothing can be changed now. */
  readonly refused: number;
  /** What was said instead of an answer to questions to each process, about a site and of a hub. */
  readonly unanswered: readonly string[];
  /** How long (ms) after it every account had stored something. */
  readonly healedMs: number;
}

const processes = 3;
const hubs = 2;
const devices = 20;

/** Kills, restarts and starves three processes of a cloud under load, and looks for what is missing at the end. */
export async function prove(options: ProofOptions): Promise<Proof> {
  const root = temporaryFolder();
  const [database, broker] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
  const nodes = new Nodes(root.path, ["--store", database.url(), "--bus", broker.url()]);
  const trial = new Trial(nodes, options);
  try {
    await trial.begin();
    const killed = await trial.kill();
    const failedInRestart = await trial.restart();
    const withoutBroker = await trial.without(broker, "stored");
    const withoutDatabase = await trial.without(database, "refused");
    const { acknowledged, lost } = await trial.end();
    const controlCaught = await isControlCaught(database.create("control"));
    return {
      kills: options.kills,
      acknowledged,
      lost,
      ...killed,
      failedInRestart,
      withoutBroker,
      withoutDatabase,
      controlCaught,
    };
  } finally {
    trial.stop();
    await nodes.end();
    await Promise.all([database.remove(), broker.kill()]);
    root.remove();
  }
}

/** Something that can be away for a while. */
interface Server {
  kill(): Promise<void>;
  resume(): Promise<void>;
}

class Trial {
  readonly #nodes: Nodes;
  readonly #options: ProofOptions;
  readonly #writers: Writer[] = [];
  readonly #hubs: TellingHub[] = [];
  readonly #over = new AbortController();
  #writing: Promise<unknown> = Promise.resolve();
  #isChanging = true;

  constructor(nodes: Nodes, options: ProofOptions) {
    this.#nodes = nodes;
    this.#options = options;
  }

  async begin(): Promise<void> {
    const nodes = this.#nodes;
    await nodes.begin(processes);
    for (let at = 0; at < this.#options.writers; at++)
      this.#writers.push(await Writer.on(nodes.any(), `writer-${at}@example.org`));
    for (let at = 0; at < hubs; at++)
      this.#hubs.push(await TellingHub.claimed(nodes.any(), `owner-${at}@example.org`, devices));
    for (const hub of this.#hubs) void hub.run(() => nodes.any());
    this.#writing = Promise.all(this.#writers.map((writer) => writer.write(nodes, this.#over.signal)));
    void this.#change();
  }

  async #change(): Promise<void> {
    while (!this.#over.signal.aborted) {
      if (this.#isChanging) for (const hub of this.#hubs) hub.change();
      await setTimeout(50);
    }
  }

  get #stored(): number {
    return this.#writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  #count(what: "failed" | "refused"): number {
    return this.#writers.reduce((sum, writer) => sum + writer[what], 0);
  }

  /** Resolves when every account has stored something since. */
  async #storing(): Promise<void> {
    const before = this.#writers.map(({ acknowledged }) => acknowledged.length);
    while (this.#writers.some(({ acknowledged }, at) => acknowledged.length === before[at]))
      await setTimeout(20);
  }

  async kill(): Promise<Pick<Proof, "takeoverMs" | "rowsEqualMs">> {
    const { kills, tell } = this.#options;
    const takeoverMs: number[] = [];
    let rowsEqualMs = 0;
    for (let kill = 1; kill <= kills; kill++) {
      await this.#storing();
      const writer = await this.#nodes.writer();
      const isWriter = kill % 4 === 1;
      const place = isWriter ? writer : (writer + (kill % 2 === 0 ? 1 : 2)) % processes;
      const begun = performance.now();
      const since = (): number => Math.round(performance.now() - begun);
      await this.#nodes.kill(place);
      if (isWriter) {
        await this.#storing();
        takeoverMs.push(since());
      }
      await this.#rowsEqual();
      rowsEqualMs = Math.max(rowsEqualMs, since());
      await this.#nodes.start(place);
      tell(`kill ${kill}${isWriter ? ", of the writer" : ""}: all is as it should be after ${since()} ms`);
    }
    return { takeoverMs: takeoverMs.toSorted((one, other) => one - other), rowsEqualMs };
  }

  /** Resolves when every process shows the devices of all hubs as they are. */
  async #rowsEqual(): Promise<void> {
    this.#isChanging = false;
    for (const hub of this.#hubs) {
      const wanted = [...hub.names].toSorted().join("\n");
      const query = { type: "ListDevicesDeviceRegisterQuery", deviceRegisterId: hub.hub.id };
      for (let shown = ""; shown !== wanted; await setTimeout(100)) {
        const names = await namesIn(this.#nodes.any(), hub.token, query).catch(() => []);
        shown = names
          .filter((name) => name.startsWith("device-"))
          .toSorted()
          .join("\n");
      }
    }
    this.#isChanging = true;
  }

  /** Restarts all processes, one after the other. @returns how many changes failed twice meanwhile */
  async restart(): Promise<number> {
    await this.#storing();
    const before = this.#count("failed");
    for (let place = 0; place < processes; place++) {
      const begun = performance.now();
      await this.#nodes.restart(place);
      await this.#storing();
      this.#options.tell(`process ${place} was restarted in ${Math.round(performance.now() - begun)} ms`);
    }
    return this.#count("failed") - before;
  }

  /** Takes a server away for a while. @param answered how changes are answered meanwhile */
  async without(server: Server, answered: "stored" | "refused"): Promise<Outage> {
    const { awayMs, tell } = this.#options;
    await this.#storing();
    await server.kill();
    const [stored, failed, refused] = [this.#stored, this.#count("failed"), this.#count("refused")];
    const away = setTimeout(awayMs);
    const unanswered = await this.#unanswered();
    await away;
    const changes = (): Pick<Outage, "stored" | "failed" | "refused"> => ({
      stored: this.#stored - stored,
      failed: this.#count("failed") - failed,
      refused: this.#count("refused") - refused,
    });
    while (changes()[answered] === 0) await setTimeout(20);
    const found = { unanswered, ...changes() };
    await server.resume();
    const begun = performance.now();
    await this.#storing();
    const healedMs = Math.round(performance.now() - begun);
    await this.#rowsEqual();
    tell(`${server.constructor.name} was away for ${awayMs} ms: ${JSON.stringify({ ...found, healedMs })}`);
    return { ...found, healedMs };
  }

  /** Asks each process what it knows of a site, and what a hub says. @returns what was said instead of an answer */
  async #unanswered(): Promise<readonly string[]> {
    const said: string[] = [];
    const [writer, hub] = [this.#writers[0], this.#hubs[0]];
    if (writer === undefined || hub === undefined) throw new Error("the trial has not begun");
    for (let place = 0; place < processes; place++) {
      const node = this.#nodes.at(place);
      try {
        if ((await writer.roomsOn(node)).size === 0) said.push(`process ${place}: no rooms`);
        const call = { type: "CallHubQuery", hubId: hub.hub.id, path: "/devices" };
        const { error } = await asked(node, hub.token, "query", call);
        if (error !== undefined) said.push(`process ${place}: ${JSON.stringify(error)}`);
      } catch (error) {
        said.push(`process ${place}: ${(error as Error).message}`);
      }
    }
    return said;
  }

  /** Ends the load. @returns what every process knows of it */
  async end(): Promise<Pick<Proof, "acknowledged" | "lost">> {
    this.#over.abort();
    await this.#writing;
    let lost = 0;
    for (const writer of this.#writers)
      for (let place = 0; place < processes; place++) {
        const known = await writer.roomsOn(this.#nodes.at(place));
        lost += writer.acknowledged.filter((name) => !known.has(name)).length;
      }
    return { acknowledged: this.#stored, lost };
  }

  stop(): void {
    this.#over.abort();
    for (const hub of this.#hubs) hub.end();
  }
}
