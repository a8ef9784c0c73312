import { ConfigManager, type DeviceConfig, type ParamInformation } from "@zwave-js/config";
import type { ConfigurationMetadata } from "@zwave-js/core";
import type { ConfigurationItem } from "@ledge/model";
import { limits } from "@ledge/model";
import { markdownTable } from "@ledge/testkit/page";
import { associationItem, type AssociationGroup } from "./configuration/associations.ts";
import type { NodeSetting } from "./configuration/item.ts";
import { configurationOf } from "./configuration/node-settings.ts";
import { parameterFrom } from "./configuration/parameter-facts.ts";
import { type Parameter, parameterItem } from "./configuration/parameters.ts";

/** A configuration file of the library, and the settings that a device of it has. */
export interface MappedFile {
  readonly name: string;
  readonly maker: string;
  readonly parameters: readonly { readonly facts: Parameter; readonly item: ConfigurationItem }[];
  readonly groups: readonly { readonly facts: AssociationGroup; readonly item: ConfigurationItem }[];
  /** The names of parameters that the file hides. */
  readonly hidden: readonly string[];
  /** As the hub hears of them. */
  readonly shown: readonly ConfigurationItem[];
}

/** Returns every configuration file of the library's device database, mapped; of each the newest firmware. */
export async function parametersOfFiles(): Promise<readonly MappedFile[]> {
  const database = new ConfigManager();
  await database.loadAll();
  const files = new Map<string, MappedFile>();
  for (const entry of database.getIndex() ?? []) {
    if (files.has(entry.filename)) continue;
    const [maker, type, id] = [entry.manufacturerId, entry.productType, entry.productId].map(Number);
    const { max } = entry.firmwareVersion;
    const config = await database.lookupDevice(maker ?? 0, type ?? 0, id ?? 0, max);
    if (config === undefined) throw new Error(`${entry.filename} describes no device`);
    files.set(entry.filename, mapped(entry.filename, config));
  }
  return [...files.values()];
}

function mapped(name: string, config: DeviceConfig): MappedFile {
  const places = placesOf(config);
  const [visible, hidden] = [false, true].map((isHidden) =>
    places.filter(({ info }) => (info.hidden === true) === isHidden),
  );
  const parameters = (visible ?? []).map(({ info, ...place }) => {
    const facts = parameterFrom(place, metadataOf(info));
    return { facts, item: parameterItem(facts) };
  });
  const groups = groupsOf(config).map((facts) => ({ facts, item: associationItem(facts) }));
  const settings = [...parameters, ...groups].map(({ item, facts }): NodeSetting => ({
    item,
    endpoint: facts.endpoint,
    value: undefined,
    problem: () => undefined,
    set: async () => undefined,
  }));
  return {
    name,
    maker: config.manufacturer,
    parameters,
    groups,
    hidden: (hidden ?? []).map(({ info }) => info.label),
    shown: configurationOf(settings)?.items ?? [],
  };
}

interface Place {
  readonly endpoint: number;
  readonly number: number;
  readonly mask?: number;
  readonly info: ParamInformation;
}

function placesOf({ paramInformation, endpoints }: DeviceConfig): readonly Place[] {
  const maps = [
    [0, paramInformation ?? endpoints?.get(0)?.paramInformation] as const,
    ...[...(endpoints ?? [])].flatMap(([index, { paramInformation: own }]) =>
      index === 0 ? [] : [[index, own] as const],
    ),
  ];
  return maps.flatMap(([endpoint, map]) =>
    [...(map?.entries() ?? [])].map(([{ parameter, valueBitMask: mask }, info]) => ({
      endpoint,
      number: parameter,
      ...(mask !== undefined && { mask }),
      info,
    })),
  );
}

function groupsOf({ associations, endpoints }: DeviceConfig): readonly AssociationGroup[] {
  const maps = [
    [0, associations] as const,
    ...[...(endpoints ?? [])].map(([index, { associations: own }]) => [index, own] as const),
  ];
  return maps.flatMap(([endpoint, map]) =>
    [...(map ?? [])].map(([group, { label, maxNodes, isLifeline }]) => ({
      endpoint,
      group,
      label,
      maxNodes,
      isLifeline,
    })),
  );
}

/** What the library makes of a parameter of a file (its ConfigurationCC). */
function metadataOf(info: ParamInformation): ConfigurationMetadata {
  const states = Object.fromEntries(info.options.map(({ value, label }) => [String(value), label]));
  return {
    type: "number",
    min: info.minValue,
    max: info.maxValue,
    allowed: info.allowed,
    default: info.defaultValue,
    readable: info.writeOnly !== true,
    writeable: info.readOnly !== true,
    allowManualEntry: info.allowManualEntry,
    label: info.label,
    ...(info.unit !== undefined && { unit: info.unit }),
    ...(info.description !== undefined && { description: info.description }),
    ...(info.options.length > 0 && { states }),
    ...(info.destructive !== undefined && { destructive: info.destructive }),
  };
}

/** Returns the lines of docs/zwave-devices.md that count what the files' settings become. */
export function filesTable(files: readonly MappedFile[]): string {
  const parameters = files.flatMap((file) => file.parameters);
  const groups = files.flatMap((file) => file.groups);
  const kinds = (["NUMBER", "OPTION", "BOOL"] as const).map((kind) => [
    `parameters as ${kind}`,
    parameters.filter(({ item }) => item.fieldType === kind).length,
  ]);
  const cut = files.filter(
    ({ parameters: all, groups: more, shown }) => shown.length < all.length + more.length,
  );
  const withoutHelp = files.filter(({ parameters: all, shown }) => {
    const isHelped = all.some(({ item }) => item.help !== null);
    return isHelped && shown.length > 0 && shown.every(({ help }) => help === null);
  });
  const rows: readonly (readonly (string | number | undefined)[])[] = [
    ["files", files.length],
    ["makers", new Set(files.map(({ maker }) => maker)).size],
    ["files with parameters", files.filter((file) => file.parameters.length > 0).length],
    ["parameters and parts of them", parameters.length],
    ...kinds,
    ["parts of a parameter", parameters.filter(({ facts }) => facts.mask !== undefined).length],
    ["on further endpoints", parameters.filter(({ facts }) => facts.endpoint > 0).length],
    ["that can only be read", parameters.filter(({ item }) => item.readOnly).length],
    ["that can only be written", parameters.filter(({ facts }) => !facts.isReadable).length],
    [
      "without a default that a reset sets",
      parameters.filter(({ item }) => item.defaultValue === null).length,
    ],
    ["association groups", groups.length],
    ["of them lifelines, which can only be read", groups.filter(({ item }) => item.readOnly).length],
    ["parameters that their files hide", files.reduce((sum, { hidden }) => sum + hidden.length, 0)],
    [`files with more than ${limits.configurationItems} settings, or too long ones`, cut.length],
    ["files whose help texts are left out", withoutHelp.length],
  ];
  const named = (title: string, list: readonly MappedFile[]): readonly string[] =>
    list.length === 0 ? [] : ["", `${title}: ${list.map(({ name }) => `\`${name}\``).join(", ")}.`];
  return [
    markdownTable(
      ["what", "count"],
      rows.map((row) => row.map(String)),
    ),
    ...named("Cut", cut),
    ...named("Without help texts", withoutHelp),
  ].join("\n");
}
