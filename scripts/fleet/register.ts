import { setTimeout } from "node:timers/promises";
import type { CloudProcess } from "@ledge/cloud/process";
import type { Call } from "./linearizable.ts";
import { asked, newSite } from "./writer.ts";

/** The process on this side of the wire, or that on the other one. */
export type Side = "here" | "there";

/** A call that was answered. */
interface Answered extends Pick<Call, "kind" | "begun" | "ended"> {
  readonly side: Side;
}

/** How long a client waits for an answer (ms). */
const patienceMs = 3000;
const [writeEachMs, readEachMs] = [400, 300];

/** Errors that say that nothing was written: the process takes no changes, or does not run. */
const untouched: ReadonlySet<string> = new Set(["E_READ_ONLY", "ECONNREFUSED"]);

/** The properties of a site of an account, as a register. */
export class Register {
  /** Without the reads at a process that is cut off: these may be old. */
  readonly calls: Call[] = [];
  /** With them. */
  readonly answers: Answered[] = [];
  readonly #nodes: Readonly<Record<Side, CloudProcess>>;
  readonly #token: string;
  readonly #siteId: string;
  #count = 0;
  #cuts = 0;
  #isCut = false;
  #running = 0;
  #resumed: Promise<void> = Promise.resolve();

  private constructor(nodes: Readonly<Record<Side, CloudProcess>>, token: string, siteId: string) {
    this.#nodes = nodes;
    this.#token = token;
    this.#siteId = siteId;
  }

  static async on(nodes: Readonly<Record<Side, CloudProcess>>, email: string): Promise<Register> {
    const token = await nodes.here.logIn(email);
    return new Register(nodes, token, await newSite(nodes.here, token));
  }

  /** Whether the process there is cut off. */
  set isCut(isCut: boolean) {
    this.#isCut = isCut;
    if (isCut) this.#cuts += 1;
  }

  /** Begins no call until something is over. Resolves when those under way have ended. */
  async rest(over: Promise<void>): Promise<void> {
    this.#resumed = over;
    while (this.#running > 0) await setTimeout(50);
  }

  /** Writes one value after the other at a process. */
  async write(side: Side, over: AbortSignal): Promise<void> {
    for (; !over.aborted; await setTimeout(writeEachMs)) {
      await this.#resumed;
      const value = `${side}-${++this.#count}`;
      const properties = { features: [value] };
      const fields = { type: "SetPropertiesSiteCommand", siteId: this.#siteId, properties };
      const begun = performance.now();
      const outcome = await this.#asked(side, "command", fields).then(
        ({ error }) => (error === undefined ? "stored" : (error as { code: string }).code),
        ({ cause }: Error) => (cause as { code?: string } | undefined)?.code,
      );
      if (outcome !== undefined && untouched.has(outcome)) continue;
      const isDone = outcome === "stored";
      // Another error may come after the write counts, so it says as little as no answer.
      const ended = isDone ? performance.now() : Infinity;
      this.calls.push({ register: this.#siteId, kind: "write", value, begun, ended });
      if (isDone) this.answers.push({ kind: "write", side, begun, ended });
    }
  }

  async readOn(side: Side, over: AbortSignal): Promise<void> {
    for (; !over.aborted; await setTimeout(readEachMs)) {
      await this.#resumed;
      await this.read(side).catch(() => {});
    }
  }

  /** @throws Error when the process does not answer */
  async read(side: Side): Promise<void> {
    const cuts = this.#cuts;
    const wasCut = this.#isCut;
    const begun = performance.now();
    const fields = { type: "GetPropertiesSiteQuery", siteId: this.#siteId };
    const { properties } = await this.#asked(side, "query", fields);
    if (properties === undefined) return;
    const [value = null] = (properties as { features: readonly string[] }).features;
    const ended = performance.now();
    this.answers.push({ kind: "read", side, begun, ended });
    if (side === "there" && (wasCut || this.#cuts !== cuts)) return;
    this.calls.push({ register: this.#siteId, kind: "read", value, begun, ended });
  }

  async #asked(side: Side, kind: "command" | "query", fields: object): Promise<Record<string, unknown>> {
    this.#running += 1;
    try {
      return await asked(this.#nodes[side], this.#token, kind, fields, patienceMs);
    } finally {
      this.#running -= 1;
    }
  }
}
