import type { AdapterClock, AdapterLog, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Chores } from "./chores.ts";
import { faultOf, isFinal } from "./fault.ts";
import type { AttributeValues, DeviceAction, Message, Unit, ZclRead } from "./map/index.ts";
import { assumedAfter, framesFor, identifyFrames, readsAfter } from "./map/index.ts";
import type { End, Node, Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Reports } from "./reports.ts";
import type { Sending } from "./sending.ts";

export interface OrdersOptions {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  readonly radio: Radio;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly reports: Reports;
  readonly nodes: Pick<Nodes, "store">;
}

/** After this, and the time that a lamp takes to fade, a device is what it was told to be. */
const settledMs = 300;

/** Commands to units. What a device then does it reports; one that was not told to report is asked. */
export class Orders {
  readonly #options: OrdersOptions;
  /** What units do again by themselves, and have not done yet. */
  readonly #ends = new Map<NativeId, () => void>();
  /** Reads that wait until what they are about has settled. */
  readonly #reads = new Map<NativeId, Set<() => void>>();

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /** @throws AdapterError */
  async carryOut(node: Node, unit: Unit, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const { sending } = this.#options;
    switch (command.type) {
      case "set": {
        const actions = framesFor(unit, command.attributes, node.valuesOf(unit));
        if (actions.length === 0)
          throw new AdapterError("unsupported", `${unit.native} has none of these to set`);
        node.tell(unit.native, command.attributes);
        await sending.insist(node, actions, signal);
        this.taken(node, unit, command.attributes, actions);
        return;
      }
      case "refresh":
        return await this.#refresh(node, unit, signal);
      case "identify":
        return await sending.insist(node, identifyFrames(unit), signal);
      case "snapshot":
        throw new AdapterError("unsupported", "no Zigbee device takes pictures");
    }
  }

  /** A unit has taken what makes wanted attributes so. */
  taken(node: Node, unit: Unit, wanted: AttributeValues, actions: readonly DeviceAction[]): void {
    node.note(unit.native, wanted);
    this.#assume(node, unit, wanted);
    this.#readBack(node, unit, actions, Number(wanted["transitionMsec"] ?? 0));
  }

  /** The adapter has started: what was to end meanwhile has, and the rest ends in time. */
  resume(node: Node): void {
    for (const [native, end] of node.ends) this.#awaitEnd(node, native, end);
  }

  /** The hub has removed a unit. */
  forget(native: NativeId): void {
    this.#ends.get(native)?.();
    this.#ends.delete(native);
    for (const cancel of this.#reads.get(native) ?? []) cancel();
    this.#reads.delete(native);
  }

  stop(): void {
    for (const native of [...this.#ends.keys(), ...this.#reads.keys()]) this.forget(native);
  }

  /** Reads what a message has left open, once what it is about has settled. */
  readAfter(node: Node, message: Message): void {
    for (const unit of node.keptUnits) this.#readSoon(node, unit, readsAfter(unit, message), 0);
  }

  /** Reads what units are like. What a device does not know is left out. @throws AdapterError */
  async read(node: Node, units: readonly Unit[]): Promise<void> {
    for (const read of units.flatMap(({ setup }) => setup.reads)) await this.#try(node, read);
  }

  async #try(node: Node, read: ZclRead): Promise<void> {
    try {
      await this.#options.sending.once(node, read);
    } catch (error) {
      const fault = faultOf(error);
      // Those of its attributes that it does know have come as a message.
      if (!isFinal(fault)) throw fault;
    }
  }

  async #refresh(node: Node, unit: Unit, signal: AbortSignal): Promise<void> {
    for (const read of unit.setup.reads) {
      try {
        await this.#options.sending.insist(node, [read], signal);
      } catch (error) {
        const fault = faultOf(error);
        if (!isFinal(fault)) throw fault;
      }
    }
  }

  /** What devices never say themselves, such as that a siren has ended. */
  #assume(node: Node, unit: Unit, wanted: AttributeValues): void {
    const { clock, reports } = this.#options;
    const { native } = unit;
    const assumed = assumedAfter(unit, wanted);
    if (assumed === undefined) return;
    this.#ends.get(native)?.();
    this.#ends.delete(native);
    reports.report(node, native, assumed.attributes);
    const { until } = assumed;
    const wasUntil = node.ends.delete(native);
    if (until !== undefined) {
      const end = { at: clock.now() + until.ms, ...until };
      node.ends.set(native, end);
      this.#awaitEnd(node, native, end);
    }
    if (wasUntil || until !== undefined) this.#store(node);
  }

  #awaitEnd(node: Node, native: NativeId, { at, ms, attributes }: End): void {
    const { clock, reports } = this.#options;
    // A wall clock that was set makes it no longer than it can be.
    const left = Math.min(Math.max(at - clock.now(), 0), ms);
    const cancel = clock.after(left, () => {
      this.#ends.delete(native);
      node.ends.delete(native);
      reports.report(node, native, attributes);
      this.#store(node);
    });
    this.#ends.set(native, cancel);
  }

  #store(node: Node): void {
    const { nodes, log } = this.#options;
    nodes.store(node).catch((error: unknown) => {
      const reason = (error as Error).message;
      log("warn", "when a device ends what it does was not stored", { native: node.ieee, reason });
    });
  }

  #readBack(node: Node, unit: Unit, actions: readonly DeviceAction[], fadeMs: number): void {
    const told = new Set(
      actions.map((action) => (action.kind === "convert" ? "" : `${action.endpoint} ${action.cluster}`)),
    );
    const reads = unit.setup.reads.filter(
      (read) => told.has(`${read.endpoint} ${read.cluster}`) && !this.#reports(node, read),
    );
    this.#readSoon(node, unit, reads, fadeMs);
  }

  #readSoon(node: Node, unit: Unit, reads: readonly ZclRead[], fadeMs: number): void {
    const { clock, chores } = this.#options;
    if (reads.length === 0) return;
    const { native } = unit;
    const waiting = this.#reads.get(native) ?? new Set();
    this.#reads.set(native, waiting);
    const cancel = clock.after(settledMs + fadeMs, () => {
      waiting.delete(cancel);
      chores.add(`read back ${native}`, async () => {
        for (const read of reads) await this.#try(node, read);
      });
    });
    waiting.add(cancel);
  }

  /** Whether the device was told to report all of these, and has agreed. */
  #reports(node: Node, { endpoint, cluster, attributes }: ZclRead): boolean {
    const configured =
      this.#options.radio.device(node.ieee)?.getEndpoint(endpoint)?.configuredReportings ?? [];
    const isReported = (attribute: string): boolean =>
      configured.some((each) => each.cluster.name === cluster && each.attribute.name === attribute);
    return attributes.every(isReported);
  }
}
