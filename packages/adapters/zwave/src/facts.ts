import { limits } from "@ledge/model";
import type { ValueMetadataNumeric, ZWaveNode } from "zwave-js";
import { commandClass } from "./map/command-class.ts";
import type { NodeFacts, NodeValue } from "./map/value.ts";

/** The value ids of the library. */
export type ValueId = Parameters<ZWaveNode["getValueMetadata"]>[0];

/** Returns the library's name for a number of the specification. */
export function asCommandClass(id: number): ValueId["commandClass"] {
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
  return id;
}

/** Returns the number of a command class of the library. */
export function asNumber(id: ValueId["commandClass"]): number {
  return id;
}

/** From this level on a battery is no longer low, in percent. */
const wellCharged = 30;

/** Returns whether a device that has no value for a low battery says a level that shows that it is not. */
export function isWellCharged(node: ZWaveNode, { commandClass: of, property, value }: NodeValue): boolean {
  const isLevel = of === commandClass.battery && property === "level";
  if (!isLevel || typeof value !== "number" || value < wellCharged || value > 100) return false;
  return node.getCCVersion(asCommandClass(of)) < 2;
}

/** Returns what is known of a node that its units depend on. */
export function factsOf(node: ZWaveNode): NodeFacts {
  const classes = node
    .getAllEndpoints()
    .map(
      ({ index, deviceClass }) =>
        [index, [deviceClass?.generic.key ?? 0, deviceClass?.specific.key ?? 0] as const] as const,
    );
  return {
    values: node.getDefinedValueIDs().map((id) => valueOf(node, id, node.getValue(id))),
    classes: new Map(classes),
    manufacturer: clean(node.deviceConfig?.manufacturer),
    model: clean(node.deviceConfig?.label),
  };
}

/** Returns a value with what its metadata say. */
export function valueOf(node: ZWaveNode, id: ValueId, value: unknown): NodeValue {
  const { endpoint = 0, property, propertyKey } = id;
  const { unit, ccSpecific } = node.getValueMetadata(id) as ValueMetadataNumeric;
  const meterType = ccSpecific?.["meterType"];
  return {
    commandClass: id.commandClass,
    endpoint,
    property,
    ...(propertyKey !== undefined && { propertyKey }),
    value,
    ...(unit !== undefined && { unit }),
    ...(typeof meterType === "number" && { meterType }),
  };
}

/** The database's names are of people: cut to what a device may have. */
function clean(name: string | undefined): string | null {
  const trimmed = (name ?? "").trim();
  return trimmed === "" ? null : trimmed.slice(0, limits.nameChars);
}
