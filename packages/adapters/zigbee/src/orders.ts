import type { AdapterClock, AdapterLog, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Chores } from "./chores.ts";
import { faultOf, isFinal } from "./fault.ts";
import type { AttributeValues, DeviceAction, Message, Unit, ZclRead } from "./map/index.ts";
import { assumedAfter, framesFor, identifyFrames, readsAfter } from "./map/index.ts";
import { isMains } from "./node.ts";
import type { End, Node, Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Reports } from "./reports.ts";
import type { Sending } from "./sending.ts";

/** Options of `Orders`. */
export interface OrdersOptions {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  readonly radio: Radio;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly reports: Reports;
  readonly nodes: Pick<Nodes, "store">;
}

/** How long after a command, and the lamp's fade, a device has reached its target. */
const settledMs = 300;

/** Carries out commands to units. The device reports the effect; one without reporting is read. */
export class Orders {
  readonly #options: OrdersOptions;
  /** Cancels of the pending ends of units that end something by themselves. */
  readonly #ends = new Map<NativeId, () => void>();
  /** Reads that wait until a value has settled. */
  readonly #reads = new Map<NativeId, Set<() => void>>();

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /**
   * Carries out a command.
   * @throws AdapterError
   */
  async carryOut(node: Node, unit: Unit, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const { sending } = this.#options;
    switch (command.type) {
      case "set": {
        const actions = framesFor(unit, command.attributes, node.valuesOf(unit));
        if (actions.length === 0)
          throw new AdapterError("unsupported", `${unit.native} cannot set any of these attributes`);
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
        throw new AdapterError("unsupported", "Zigbee devices do not take pictures");
    }
  }

  /** Records that a unit accepted the wanted attributes. */
  taken(node: Node, unit: Unit, wanted: AttributeValues, actions: readonly DeviceAction[]): void {
    node.note(unit.native, wanted);
    this.#assume(node, unit, wanted);
    this.#readBack(node, unit, actions, Number(wanted["transitionMsec"] ?? 0));
  }

  /** After a start: performs the ends that were missed, and schedules the others. */
  resume(node: Node): void {
    for (const [native, end] of node.ends) this.#awaitEnd(node, native, end);
  }

  /** Drops everything pending of a unit that the hub has removed. */
  forget(native: NativeId): void {
    this.#ends.get(native)?.();
    this.#ends.delete(native);
    for (const cancel of this.#reads.get(native) ?? []) cancel();
    this.#reads.delete(native);
  }

  stop(): void {
    for (const native of [...this.#ends.keys(), ...this.#reads.keys()]) this.forget(native);
  }

  /** Reads what a message leaves unclear, once it has settled. */
  readAfter(node: Node, message: Message): void {
    for (const unit of node.keptUnits) this.#readSoon(node, unit, readsAfter(unit, message), 0);
  }

  /**
   * Reads the state of units. Skips what a device does not support.
   * @throws AdapterError
   */
  async read(node: Node, units: readonly Unit[]): Promise<void> {
    for (const read of units.flatMap(({ setup }) => setup.reads)) await this.#try(node, read);
  }

  /** Reads the state of a node when it is its turn. A sleeping one reports by itself. */
  readAnew(node: Node | undefined): void {
    if (node?.isMember !== true || !isMains(node.facts)) return;
    this.#options.chores.add(`read ${node.ieee}`, () => this.read(node, node.keptUnits));
  }

  async #try(node: Node, read: ZclRead): Promise<void> {
    try {
      await this.#options.sending.once(node, read);
    } catch (error) {
      const fault = faultOf(error);
      // The attributes that it does support have arrived as a message.
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

  /** Reports what devices never report themselves, such as the end of a siren. */
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
    // A changed wall clock must not extend the duration.
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
      log("warn", "could not store when a device's action ends", { native: node.ieee, reason });
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

  /** Whether the device has accepted to report all of these attributes. */
  #reports(node: Node, { endpoint, cluster, attributes }: ZclRead): boolean {
    const configured =
      this.#options.radio.device(node.ieee)?.getEndpoint(endpoint)?.configuredReportings ?? [];
    const isReported = (attribute: string): boolean =>
      configured.some((each) => each.cluster.name === cluster && each.attribute.name === attribute);
    return attributes.every(isReported);
  }
}
