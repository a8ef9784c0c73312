import type { Zigbee2mqttFiles } from "@ledge/model";
import { refuseSetting } from "@ledge/port";
import { lazyValidator } from "@ledge/model";
import Type from "typebox";
import { isRecord } from "@ledge/exposes";
import type { NetworkParameters } from "../network/parameters.ts";
import type { StickKind } from "../settings.ts";
import { stickKinds } from "../settings.ts";
import type { DeviceEntry, GroupEntry } from "./database.ts";
import { readDatabase } from "./database.ts";
import type { ReadBackup } from "./open-backup.ts";
import { readBackup } from "./open-backup.ts";
import { checked } from "./schema.ts";
import { readYaml } from "./yaml.ts";

/** A network of another program, ready to be carried on. */
export interface Migration {
  readonly network: NetworkParameters;
  /** Undefined when the folder has no backup: then only the stick that carries the network can be used. */
  readonly backup: ReadBackup | undefined;
  readonly stick: StickKind | undefined;
  /** Without the coordinator. */
  readonly devices: readonly DeviceEntry[];
  /** The library's database. */
  readonly database: string;
  /** Names that users gave to devices, by IEEE address. */
  readonly names: ReadonlyMap<string, string>;
  readonly groups: readonly (Pick<GroupEntry, "groupID" | "members"> & { readonly name: string })[];
}

const byte = Type.Integer({ minimum: 0, maximum: 255 });
const Named = Type.Object({
  friendly_name: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});
const Table = Type.Record(Type.String(), Named);
const Reference = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })]);
const Configuration = Type.Object({
  serial: Type.Optional(Type.Object({ adapter: Type.Optional(Type.String({ maxLength: 64 })) })),
  advanced: Type.Optional(
    Type.Object({
      network_key: Type.Optional(
        Type.Union([Type.String(), Type.Array(byte, { minItems: 16, maxItems: 16 })]),
      ),
      ext_pan_id: Type.Optional(Type.Union([Type.String(), Type.Array(byte, { minItems: 8, maxItems: 8 })])),
      pan_id: Type.Optional(Type.Union([Type.String(), Type.Integer({ minimum: 1, maximum: 0xfffe })])),
      channel: Type.Optional(Type.Integer({ minimum: 11, maximum: 26 })),
    }),
  ),
  devices: Type.Optional(Type.Union([Table, Reference, Type.Null()])),
  groups: Type.Optional(Type.Union([Table, Reference, Type.Null()])),
});
type Configuration = Type.Static<typeof Configuration>;
const validators = { configuration: lazyValidator(Configuration), table: lazyValidator(Table) };

/** Zigbee2MQTT's settings for a network that names none (settings.schema.json of Zigbee2MQTT 2). */
const defaults = {
  network_key: [1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 13],
  ext_pan_id: [0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd],
  pan_id: 0x1a62,
  channel: 11,
} as const;

/**
 * Reads the data folder of Zigbee2MQTT as a whole.
 * @throws AdapterError `settings` when a file is damaged or contradicts another; the message names it
 */
export async function readFolder(files: Zigbee2mqttFiles): Promise<Migration> {
  const main = "configuration.yaml";
  const raw = await readYaml(main, files[main]);
  const configuration = checked(main, validators.configuration, await withSecrets(raw, files));
  const database = readDatabase("database.db", files["database.db"]);
  const backupText = files["coordinator_backup.json"];
  const backup = backupText === undefined ? undefined : readBackup("coordinator_backup.json", backupText);
  const network = networkOf(configuration);
  if (backup) assertSame(network, backup.network);
  const devices = database.devices.filter(({ type }) => type !== "Coordinator");
  return {
    network: { ...network, channel: backup?.network.channel ?? network.channel },
    backup,
    stick: backup?.stick ?? stickKinds.find((kind) => kind === configuration.serial?.adapter),
    devices,
    database: database.text,
    names: await namesOf(configuration, files),
    groups: await groupsOf(configuration, database.groups, files),
  };
}

/** Replaces the network key `!secret name` by its value in secret.yaml, as Zigbee2MQTT does. */
async function withSecrets(
  raw: Readonly<Record<string, unknown>>,
  files: Zigbee2mqttFiles,
): Promise<Readonly<Record<string, unknown>>> {
  const { advanced } = raw;
  const key = isRecord(advanced) ? advanced["network_key"] : undefined;
  const name = /^!secret(?:\.yaml)? (?<name>.+)$/.exec(String(key))?.groups?.["name"];
  if (!isRecord(advanced) || name === undefined) return raw;
  return { ...raw, advanced: { ...advanced, network_key: await secretOf(name, files) } };
}

async function secretOf(name: string, files: Zigbee2mqttFiles): Promise<unknown> {
  const text = files["secret.yaml"];
  if (text === undefined) return refuseSetting("secret.yaml", "is missing, and configuration.yaml names it");
  const secrets = await readYaml("secret.yaml", text);
  return Object.hasOwn(secrets, name) ? secrets[name] : refuseSetting("secret.yaml", `has no ${name}`);
}

function networkOf({ advanced = {} }: Configuration): NetworkParameters {
  const { network_key, ext_pan_id, pan_id, channel } = { ...defaults, ...advanced };
  const texts = Object.entries({ network_key, ext_pan_id, pan_id }).filter(
    ([, value]) => typeof value === "string",
  );
  for (const [name, value] of texts)
    refuseSetting(
      "configuration.yaml",
      value === "GENERATE"
        ? `advanced.${name} is GENERATE: Zigbee2MQTT has not formed a network yet`
        : `advanced.${name} is a text`,
    );
  return {
    panId: Number(pan_id),
    extendedPanId: Buffer.from(ext_pan_id as number[]).toString("hex"),
    networkKey: Buffer.from(network_key as number[]).toString("hex"),
    channel,
  };
}

/** The channel may differ: Zigbee2MQTT moves the network at its next start. */
function assertSame(configured: NetworkParameters, backedUp: NetworkParameters): void {
  const names = { networkKey: "network_key", extendedPanId: "ext_pan_id", panId: "pan_id" } as const;
  for (const field of ["networkKey", "extendedPanId", "panId"] as const)
    if (configured[field] !== backedUp[field])
      refuseSetting("coordinator_backup.json", `has another ${names[field]} than configuration.yaml`);
}

async function namesOf(
  configuration: Configuration,
  files: Zigbee2mqttFiles,
): Promise<ReadonlyMap<string, string>> {
  const table = await tableOf("devices", configuration.devices ?? undefined, files);
  return new Map(
    Object.entries(table).flatMap(([ieee, { friendly_name: name }]) =>
      name === undefined || name === ieee ? [] : [[ieee.toLowerCase(), name] as const],
    ),
  );
}

async function groupsOf(
  configuration: Configuration,
  entries: readonly GroupEntry[],
  files: Zigbee2mqttFiles,
): Promise<Migration["groups"]> {
  const table = await tableOf("groups", configuration.groups ?? undefined, files);
  return Object.entries(table).map(([key, { friendly_name: name }]) => {
    const groupID = Number(key);
    if (!/^\d{1,5}$/.test(key) || groupID < 1 || groupID > 0xfff7)
      refuseSetting("configuration.yaml", `groups.${key} is no address of a group`);
    const members = entries.find((entry) => entry.groupID === groupID)?.members ?? [];
    return { groupID, members, name: name ?? `Group ${key}` };
  });
}

/** Returns a table of the configuration, which may stand in files of its own. */
async function tableOf(
  name: "devices" | "groups",
  found: Configuration["devices"],
  files: Zigbee2mqttFiles,
): Promise<Type.Static<typeof Table>> {
  if (found === undefined || found === null) return {};
  if (typeof found === "object" && !Array.isArray(found)) return found;
  const tables: Record<string, { readonly friendly_name?: string }>[] = [];
  for (const file of [found].flat()) {
    const key = (["devices.yaml", "groups.yaml"] as const).find((known) => known === file);
    const text = key && files[key];
    if (text === undefined)
      refuseSetting("configuration.yaml", `${name} names the file ${file}, which was not given`);
    else if (text.trim() !== "" && text.trim() !== "{}")
      tables.push(checked(file, validators.table, await readYaml(file, text)));
  }
  return Object.assign({}, ...tables) as Type.Static<typeof Table>;
}
