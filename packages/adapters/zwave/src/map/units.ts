import type { Capability, DeviceClass } from "@ledge/model";
import { deviceClassOf, limits } from "@ledge/model";
import { commandClass } from "./command-class.ts";
import { type DeviceKind, kindOf } from "./row.ts";
import { buttonOf, type Button } from "./scenes.ts";
import { rowOf } from "./table.ts";
import type { AttributeValues, NodeFacts, NodeValue } from "./value.ts";

/** A part of a node that the hub shows as a device: what one or more of its endpoints can do. */
export interface Unit {
  /** The endpoints; commands go to the first that has the value. */
  readonly endpoints: readonly number[];
  readonly kind: DeviceKind;
  readonly class: DeviceClass;
  readonly capabilities: readonly Capability[];
  readonly name: string;
  readonly buttons: readonly Button[];
}

/** A node with one of these on several endpoints is several devices. */
const actuators: ReadonlySet<Capability> = new Set(["ON_OFF", "BLINDS", "THERMOSTAT"]);

/**
 * Returns the devices of a node: one for each endpoint that switches something, all else together with the first.
 * The root endpoint mirrors others of a node that has them, so it counts only for what no other endpoint has.
 */
export function unitsOf(facts: NodeFacts): readonly Unit[] {
  const endpoints = [...new Set(facts.values.map(({ endpoint }) => endpoint))].toSorted(
    (one, two) => one - two,
  );
  const switching = endpoints.filter((endpoint) => isActuator(capabilitiesOf(facts, [endpoint])));
  const others = switching.filter((endpoint) => endpoint !== 0);
  const parts = others.length > 1 ? others : [];
  if (parts.length === 0) return unit(facts, endpoints.toReversed(), endpoints, 1, 1);
  const rest = endpoints.filter((endpoint) => !parts.includes(endpoint) && endpoint !== 0);
  return parts.flatMap((part, index) =>
    unit(facts, [part], index === 0 ? [part, ...rest] : [part], index + 1, parts.length),
  );
}

function unit(
  facts: NodeFacts,
  main: readonly number[],
  endpoints: readonly number[],
  position: number,
  count: number,
): readonly Unit[] {
  const capabilities = capabilitiesOf(facts, endpoints);
  if (capabilities.length === 0) return [];
  const known = [facts.manufacturer, facts.model].filter((part) => part !== null).join(" ");
  const name = `${known === "" ? "Z-Wave" : known}${count > 1 ? ` ${position}` : ""}`.slice(
    0,
    limits.nameChars,
  );
  const buttons = facts.values
    .filter((value) => value.commandClass === commandClass.centralScene && endpoints.includes(value.endpoint))
    .flatMap(({ propertyKey }) => buttonOf(propertyKey) ?? []);
  const kinds = main.map((endpoint) => kindAt(facts, endpoint));
  return [
    {
      endpoints,
      kind: kinds.find((kind) => kind !== "other") ?? "other",
      class: deviceClassOf(capabilities),
      capabilities: ["DEVICE", ...capabilities],
      name,
      buttons,
    },
  ];
}

function kindAt({ classes: known }: NodeFacts, endpoint: number): DeviceKind {
  return kindOf(known.get(endpoint) ?? known.get(0) ?? [0, 0]);
}

function capabilitiesOf(facts: NodeFacts, endpoints: readonly number[]): readonly Capability[] {
  const had = facts.values
    .filter(({ endpoint }) => endpoints.includes(endpoint))
    .flatMap((value) => rowOf(value)?.capabilities(value, kindAt(facts, value.endpoint)) ?? []);
  const all = new Set(had);
  // A dimmer also switches; a lamp is no socket.
  if (all.has("CONTROL_LIGHT")) all.delete("CONTROL_POWER");
  return [...all];
}

function isActuator(capabilities: readonly Capability[]): boolean {
  return capabilities.some((capability) => actuators.has(capability));
}

/** Returns the attributes that a value of a unit reports. */
export function attributesOf(value: NodeValue, { kind }: Pick<Unit, "kind">): AttributeValues {
  return rowOf(value)?.attributes(value, kind) ?? {};
}

/** Whether a value is one that the hub shows, but outside of what a device can have. */
export function isUnusable(value: NodeValue): boolean {
  const row = rowOf(value);
  if (row === undefined || typeof value.value !== "number") return false;
  const kinds: readonly DeviceKind[] = ["cover", "lamp", "socket", "other"];
  return kinds.every((kind) => Object.keys(row.attributes(value, kind)).length === 0);
}
