import type { LoggedEvent } from "@ledge/model";
import { askedFor, refusedByAdapter } from "../adapter-answers.ts";
import { Refused, refusedBy, refusedByKernel } from "../refused.ts";
import type { Call } from "../row.ts";
import { type Difference, differencesOf, touchedBy } from "./differences.ts";
import { ModbusPlaces } from "./pairing.ts";
import type { Refs, Step } from "./steps.ts";

const noRefs = (): Refs => ({ devices: new Map(), scenes: new Map() });
const titleOf = ({ object, name }: Pick<Step, "object" | "name">): string => `${object} ${name}`;

/** A configuration stopped before its end. */
class Stopped extends Refused {
  readonly #done: readonly string[];
  readonly #notDone: readonly string[];

  constructor({ status, message, problems }: Refused, steps: readonly Step[], at: number) {
    const titles = steps.map(titleOf);
    super(status, `stopped at ${titles[at]}: ${message}`, problems);
    this.#done = titles.slice(0, at);
    this.#notDone = titles.slice(at);
  }

  override body(): string {
    const told = JSON.parse(super.body()) as object;
    return JSON.stringify({ ...told, done: this.#done, notDone: this.#notDone });
  }
}

/** One configuration on its way: tried on a home that nobody sees, and then carried out object by object. */
export class AutoConfiguration {
  readonly #call: Call;
  readonly #name: string;
  readonly #steps: readonly Step[];
  readonly #places: ModbusPlaces;

  constructor(call: Call, name: string, steps: readonly Step[]) {
    this.#call = call;
    this.#name = name;
    this.#steps = steps;
    this.#places = new ModbusPlaces(call.hub);
  }

  get #chain(): {
    readonly origin: "autoconfig";
    readonly cause: `request:${string}`;
    readonly relayed: boolean;
  } {
    return {
      origin: "autoconfig",
      cause: `request:${this.#call.id}`,
      relayed: this.#call.listener === "remote",
    };
  }

  /**
   * What it would do.
   * @returns why it cannot be carried out: as soon as one object is refused, or when a second run would change
   *   what the first has done, as then two of its objects contradict each other.
   */
  async rehearse(): Promise<readonly Difference[] | Refused> {
    const { kernel } = this.#call.hub;
    const rehearsal = kernel.rehearse();
    const refs = noRefs();
    const besides = await this.#besides(refs);
    if (besides instanceof Refused) return besides;
    const events: LoggedEvent[] = [];
    for (const isAgain of [false, true]) {
      for (const step of this.#steps) {
        const commands = step.commands(rehearsal, refs);
        if (commands.length === 0) continue;
        const { outcome, events: further } = rehearsal.submit({ commands, ...this.#chain });
        if (isAgain && (!outcome.accepted || further.length > 0))
          return titled(new Refused(422, "contradicts what comes after it"), step);
        if (!outcome.accepted) return titled(refusedBy(outcome.rejection), step);
        events.push(...further);
        learn(step, outcome.results[0], refs);
      }
    }
    return [...besides, ...differencesOf(events, kernel, rehearsal)];
  }

  /** What adapters would be asked for and would pair; devices that are paired already go to `refs`. */
  async #besides(refs: Refs): Promise<readonly Difference[] | Refused> {
    const besides: Difference[] = [];
    for (const { request, pairs, ...step } of this.#steps) {
      const { object, name } = step;
      if (request !== undefined) {
        if ((await this.#call.hub.offering(request.type, "protocolCommands")).length === 0)
          return titled(new Refused(422, "no adapter of this hub knows it"), step);
        besides.push({ object, change: "ask", id: null, name, fields: {} });
      }
      if (pairs === undefined) continue;
      const found = await this.#places.find(pairs.command);
      if (found instanceof Refused) return titled(found, step);
      if (pairs.ref !== undefined) refs.devices.set(pairs.ref, found);
      if (found === undefined) besides.push({ object: "device", change: "pair", id: null, name, fields: {} });
    }
    return besides;
  }

  /** Carries it out. What is done stays when it stops: `true`, or why it stopped. */
  async carryOut(): Promise<true | Refused> {
    const { kernel } = this.#call.hub;
    const start = { type: "START_AUTO_CONFIG", name: this.#name };
    // What follows is the configuration's; who has sent it stands here.
    const { origin } = this.#call.caller;
    const begun = await kernel.submit({ commands: [start], ...this.#chain, origin });
    if (!begun.accepted) return refusedBy(begun.rejection);
    const { id: run = "" } = begun.results[0] as { id?: string };
    const refs = noRefs();
    for (const [at, step] of this.#steps.entries()) {
      const refused = await this.#carryOut(step, refs, run).catch((error: unknown) => {
        const known = refusedByKernel(error, kernel.health.reason);
        if (known === undefined) throw error;
        return known;
      });
      if (refused === undefined) continue;
      const stopped = new Stopped(refused, this.#steps, at);
      await this.#end(run, stopped.message).catch(() => {});
      return stopped;
    }
    await this.#end(run, null);
    return true;
  }

  #end(id: string, problem: string | null): Promise<unknown> {
    const end = { type: "END_AUTO_CONFIG", id, problem };
    return this.#call.hub.kernel.submit({ commands: [end], ...this.#chain });
  }

  async #carryOut(step: Step, refs: Refs, run: string): Promise<Refused | undefined> {
    const { hub } = this.#call;
    const { kernel } = hub;
    if (step.request !== undefined) {
      const asked = askedFor(this.#call, step.request.type, null);
      const noted = await kernel.submit({ commands: [asked], ...this.#chain });
      if (!noted.accepted) return refusedBy(noted.rejection);
      const outcome = await hub.ask(step.request, { among: "protocolCommands" });
      if (outcome === undefined) return new Refused(422, `no adapter of this hub knows ${step.request.type}`);
      if (!outcome.answered) return refusedByAdapter(outcome);
    }
    const paired = await this.#pair(step, refs, run);
    if (paired !== undefined) return paired;
    const commands = step.commands(kernel, refs);
    if (commands.length === 0) return undefined;
    const foreseen = kernel.foresee({ commands, ...this.#chain });
    if (!foreseen.outcome.accepted) return refusedBy(foreseen.outcome.rejection);
    const { object, name, creates } = step;
    const changed = touchedBy(foreseen.events).filter(({ kind, id }) => kernel.get(kind, id) !== undefined);
    const note = { type: "NOTE_AUTO_CONFIG_STEP", id: run, object, name, changed, creates, paired: null };
    const outcome = await kernel.submit({ commands: [...commands, note], ...this.#chain });
    if (!outcome.accepted) return refusedBy(outcome.rejection);
    learn(step, outcome.results[0], refs);
    return undefined;
  }

  async #pair({ pairs, object, name }: Step, refs: Refs, run: string): Promise<Refused | undefined> {
    if (pairs === undefined) return undefined;
    const { ref, command } = pairs;
    const found = await this.#places.find(command);
    const id = found ?? (await this.#places.pair(command));
    if (id instanceof Refused) return id;
    if (ref !== undefined) refs.devices.set(ref, id);
    if (found !== undefined) return undefined;
    const step = { object, name, changed: [], creates: [], paired: id };
    const note = { type: "NOTE_AUTO_CONFIG_STEP", id: run, ...step };
    const outcome = await this.#call.hub.kernel.submit({ commands: [note], ...this.#chain });
    return outcome.accepted ? undefined : refusedBy(outcome.rejection);
  }
}

function learn(step: Step, result: object | undefined, refs: Refs): void {
  const { id } = (result ?? {}) as { id?: string };
  if (id !== undefined) step.learn?.(id, refs);
}

function titled({ status, message, problems }: Refused, step: Pick<Step, "object" | "name">): Refused {
  return new Refused(status, `${titleOf(step)}: ${message}`, problems);
}
