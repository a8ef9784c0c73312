import type { ConfigurationItem } from "@ledge/model";
import { limits } from "@ledge/model";
import type { DeviceConfiguration } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { ConfigurationMetadata } from "@zwave-js/core";
import type { ZWaveController, ZWaveNode } from "zwave-js";
import type { ValueId } from "../facts.ts";
import { checkOutcome } from "../fault.ts";
import { commandClass } from "../map/command-class.ts";
import {
  associationItem,
  type AssociationGroup,
  isSame,
  type Target,
  targetsIn,
  textOfTargets,
} from "./associations.ts";
import type { NodeSetting } from "./item.ts";
import { parameterFrom } from "./parameter-facts.ts";
import { type Parameter, parameterItem, parameterProblem, parameterValue, rawValue } from "./parameters.ts";
import { userCodes } from "./user-codes.ts";
import { type WakeUp, wakeUpItem, wakeUpProblem } from "./wake-up.ts";

/** The command classes whose values are settings. */
export const settingClasses: ReadonlySet<number> = new Set([
  commandClass.configuration,
  commandClass.userCode,
  commandClass.wakeUp,
]);

/** A store takes 64 KiB per value; this leaves room for the values. */
const itemsBytes = 48 * 1024;

/** Returns the settings of an interviewed node: its parameters, its wake-ups, its groups, its codes. */
export function settingsOf(node: ZWaveNode, controller: ZWaveController): readonly NodeSetting[] {
  const ids = node.getDefinedValueIDs();
  return [
    ...parameters(node, ids),
    ...wakeUps(node, ids),
    ...associations(node, controller),
    ...userCodes(node),
  ];
}

/**
 * Returns settings as a device's configuration; undefined without any. Leaves the help texts out, and the last settings
 * in the end, of a device with more than a log entry holds.
 */
export function configurationOf(settings: readonly NodeSetting[]): DeviceConfiguration | undefined {
  if (settings.length === 0) return undefined;
  const all = settings.slice(0, limits.configurationItems);
  const full = all.map(({ item }) => item);
  let items = bytesOf(full) > itemsBytes ? full.map((item) => ({ ...item, help: null })) : full;
  while (bytesOf(items) > itemsBytes) items = items.slice(0, -1);
  const values = all
    .slice(0, items.length)
    .flatMap(({ item, value }) => (value === undefined ? [] : [[item.name, value] as const]));
  return { items, values: Object.fromEntries(values) };
}

function bytesOf(items: readonly ConfigurationItem[]): number {
  return Buffer.byteLength(JSON.stringify(items));
}

function parameters(node: ZWaveNode, ids: readonly ValueId[]): readonly NodeSetting[] {
  return ids.flatMap((id) => {
    const parameter = parameterOf(node, id);
    if (parameter === undefined) return [];
    const item = parameterItem(parameter);
    const { endpoint, number, mask, isReadable } = parameter;
    return {
      item,
      endpoint,
      value: isReadable ? parameterValue(item, node.getValue(id)) : undefined,
      problem: (value) => parameterProblem(parameter, rawValue(value)),
      async set(value) {
        checkOutcome(await node.setValue(id, rawValue(value)));
        if (!isReadable) return undefined;
        const configuration = node.getEndpoint(endpoint)?.commandClasses.Configuration;
        const options = mask === undefined ? {} : { valueBitMask: mask };
        const kept = answered(await configuration?.get(number, options));
        return parameterValue(item, kept) ?? kept;
      },
    };
  });
}

function parameterOf(node: ZWaveNode, id: ValueId): Parameter | undefined {
  const { endpoint = 0, property: number, propertyKey: mask } = id;
  const of: number = id.commandClass;
  if (of !== commandClass.configuration || typeof number !== "number") return undefined;
  const place = { endpoint, number, ...(typeof mask === "number" && { mask }) };
  return parameterFrom(place, node.getValueMetadata(id) as ConfigurationMetadata);
}

function wakeUps(node: ZWaveNode, ids: readonly ValueId[]): readonly NodeSetting[] {
  const id = ids.find(({ commandClass: of, property }) => isWakeUp(of) && property === "wakeUpInterval");
  if (id === undefined) return [];
  const known = node.getValueMetadata(id) as WakeUp;
  const now = node.getValue(id);
  return [
    {
      item: wakeUpItem(known),
      endpoint: 0,
      value: typeof now === "number" ? now : undefined,
      problem: (value) => wakeUpProblem(known, Number(value)),
      async set(value) {
        checkOutcome(await node.setValue(id, value));
        return answered((await node.commandClasses["Wake Up"].getInterval())?.wakeUpInterval);
      },
    },
  ];
}

function isWakeUp(of: number): boolean {
  return of === commandClass.wakeUp;
}

function associations(node: ZWaveNode, controller: ZWaveController): readonly NodeSetting[] {
  return [...controller.getAllAssociationGroups(node.id)].flatMap(([endpoint, groups]) =>
    [...groups].map(([group, { label, maxNodes, isLifeline }]) =>
      association(node, controller, { endpoint, group, label, maxNodes, isLifeline }),
    ),
  );
}

function association(
  node: ZWaveNode,
  controller: ZWaveController,
  { endpoint, group, ...more }: AssociationGroup,
): NodeSetting {
  const source = { nodeId: node.id, endpoint };
  const now = (): readonly Target[] => controller.getAssociations(source).get(group) ?? [];
  return {
    item: associationItem({ endpoint, group, ...more }),
    endpoint,
    value: textOfTargets(now()),
    problem(value) {
      const wanted = targetsIn(String(value));
      if (wanted === undefined) return "must be nodes such as 5, 7.2";
      const strange = wanted.find(({ nodeId }) => !controller.nodes.has(nodeId));
      if (strange !== undefined) return `names node ${strange.nodeId}, which is not in the network`;
      return more.maxNodes > 0 && wanted.length > more.maxNodes
        ? `has at most ${more.maxNodes} nodes`
        : undefined;
    },
    async set(value) {
      const wanted = targetsIn(String(value)) ?? [];
      const had = now();
      const added = wanted.filter((each) => !had.some((other) => isSame(each, other)));
      const removed = had.filter((each) => !wanted.some((other) => isSame(each, other)));
      if (removed.length > 0) await controller.removeAssociations(source, group, [...removed]);
      if (added.length > 0) await controller.addAssociations(source, group, [...added]);
      return textOfTargets(now());
    },
  };
}

/** @throws AdapterError when the device did not answer */
function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new AdapterError("timeout", "the device does not answer");
  return value;
}
