import type { DeviceCommand } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { SetValueAPIOptions, ValueMetadataNumeric, ZWaveNode } from "zwave-js";
import { asCommandClass, type ValueId } from "./facts.ts";
import { checkOutcome, faultOf } from "./fault.ts";
import type { Jam } from "./jam.ts";
import { commandClass } from "./map/command-class.ts";
import { type Order, ordersFor } from "./map/orders.ts";
import type { KnownUnit, Member } from "./member.ts";
import type { Radio } from "./radio.ts";
import type { Reach } from "./reach.ts";
import type { Wakefulness } from "./wakefulness.ts";

/** Carries out commands. The outcome of a command is what the device said. */
export class Orders {
  readonly #radio: Radio;
  readonly #reach: Reach;
  readonly #wakefulness: Wakefulness;
  readonly #jam: Jam;
  readonly #reportNow: (member: Member) => void;

  constructor(
    radio: Radio,
    reach: Reach,
    wakefulness: Wakefulness,
    jam: Jam,
    reportNow: (member: Member) => void,
  ) {
    this.#wakefulness = wakefulness;
    this.#jam = jam;
    this.#radio = radio;
    this.#reach = reach;
    this.#reportNow = reportNow;
  }

  /** @throws AdapterError */
  async carryOut(
    member: Member,
    unit: KnownUnit,
    command: DeviceCommand,
    signal: AbortSignal,
  ): Promise<void> {
    const node = this.#radio.nodeOf(member.native);
    this.#radio.controller();
    if (node === undefined) throw new AdapterError("unreachable", "the device is not in the network");
    // A reading waits for the wake-up; what shall be set is the hub's to keep.
    if (command.type === "set" && this.#reach.isAsleep(node, member)) {
      this.#wakefulness.owe(member);
      throw asleep();
    }
    await this.#radio.whileUp(known(node), signal);
    try {
      await this.#radio.whileUp(this.#do(node, member, unit, command), signal);
    } catch (error) {
      const fault = faultOf(error);
      if (!this.#jam.isOn || fault.code === "cancelled") throw fault;
      throw new AdapterError("busy", "the air is jammed: the stick sends nothing", { cause: error });
    } finally {
      this.#wakefulness.served(node);
    }
  }

  async #do(node: ZWaveNode, member: Member, unit: KnownUnit, command: DeviceCommand): Promise<void> {
    switch (command.type) {
      case "set":
        await this.#set(node, member, unit, command.attributes);
        return;
      case "refresh":
        for (const id of unit.commandClasses) await node.refreshCCValues(asCommandClass(id));
        this.#reportNow(member);
        return;
      case "identify":
        if (!node.supportsCC(asCommandClass(commandClass.indicator))) break;
        await node.commandClasses.Indicator.identify();
        return;
      case "snapshot":
        break;
    }
    throw new AdapterError("unsupported", `the device does not do ${command.type}`);
  }

  async #set(
    node: ZWaveNode,
    member: Member,
    unit: KnownUnit,
    attributes: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const orders = ordersOf(member, unit, attributes);
    if (orders.length === 0) throw new AdapterError("unsupported", "the device can do nothing of it");
    for (const order of orders) {
      const { id, value, options } = settingOf(node, unit, order);
      checkOutcome(await node.setValue(id, value, options));
    }
  }
}

/** Returns what to set at a unit for wanted attributes; empty when the device can do nothing of it. */
export function ordersOf(
  member: Member,
  unit: KnownUnit,
  attributes: Readonly<Record<string, unknown>>,
): readonly Order[] {
  return ordersFor(attributes, {
    unit,
    has: (id) => unit.commandClasses.includes(id),
    setpoints: unit.setpoints,
    coverings: unit.coverings ?? [],
    before: member.values.get(unit.native) ?? {},
  });
}

/** Returns the error of what a device gets when it wakes up. */
export function asleep(): AdapterError {
  return new AdapterError("asleep", "the device sleeps: it gets this when it wakes up");
}

/** Resolves when a node is known well enough for commands; for one that sleeps, when it was awake once. */
export async function known(node: ZWaveNode): Promise<void> {
  if (node.ready) return;
  await new Promise<void>((resolve) => {
    node.once("ready", () => resolve());
  });
}

/** A value to be set, in the library's terms. */
export interface Setting {
  readonly id: ValueId & { readonly endpoint: number };
  readonly value: unknown;
  readonly options: SetValueAPIOptions;
}

/** Returns an order as a node takes it. */
export function settingOf(
  node: ZWaveNode,
  unit: KnownUnit,
  { property, propertyKey, value, transitionMs, ...order }: Order,
): Setting {
  const asked = asCommandClass(order.commandClass);
  const endpoint = unit.endpoints.find((index) => node.getEndpoint(index)?.supportsCC(asked)) ?? 0;
  const id = { commandClass: asked, endpoint, property, ...(propertyKey !== undefined && { propertyKey }) };
  const { unit: measure } = node.getValueMetadata(id) as ValueMetadataNumeric;
  // The hub has °C only.
  const given = measure === "°F" && typeof value === "number" ? (value * 9) / 5 + 32 : value;
  const options =
    transitionMs === undefined ? {} : { transitionDuration: `${Math.round(transitionMs / 1000)}s` as const };
  return { id, value: given, options };
}
