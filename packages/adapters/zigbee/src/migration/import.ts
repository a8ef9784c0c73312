import { type Zigbee2mqttFiles, zigbee2mqttFiles } from "@ledge/model";
import type { AdapterClock, AdapterLog, AnswerRequest } from "@ledge/port";
import { AdapterError, refuseSetting } from "@ledge/port";
import { isRecord } from "@ledge/exposes";
import type { Network } from "../network/network.ts";
import type { NetworkParameters } from "../network/parameters.ts";
import type { KeptBackup } from "../network/kept-network.ts";
import type { Nodes } from "../nodes.ts";
import type { StickKind } from "../settings.ts";
import type { Adopted } from "./adopted.ts";
import { isUnderstood } from "./database.ts";
import type { ReadBackup } from "./open-backup.ts";
import { textForLibrary } from "./open-backup.ts";
import { planOf } from "./plan.ts";
import type { Migration } from "./zigbee2mqtt.ts";
import { readFolder } from "./zigbee2mqtt.ts";

/** How long an import waits for the stick to open with the adopted network. */
export const openMs = 40_000;
/**
 * A backup without a time, or with one that is yet to come, is taken to be this old; its frame counter is raised by
 * what may have been sent.
 */
const ageMs = 86_400_000;

/** Options of `Import`. */
export interface ImportOptions {
  readonly host: { readonly clock: AdapterClock; readonly log: AdapterLog };
  readonly nodes: Pick<Nodes, "members">;
  readonly network: () => Pick<Network, "adopt" | "parameters">;
  readonly adopted: Adopted;
  /** Resolves with true when the hub has the adopted devices; false after `atMostMs`. */
  readonly whenKept: (atMostMs: number) => Promise<boolean>;
}

/** Takes over the Zigbee network of another program: its keys, devices, names and groups. */
export class Import {
  readonly #options: ImportOptions;

  constructor(options: ImportOptions) {
    this.#options = options;
  }

  /** IMPORT_ZIGBEE2MQTT {files, dryRun}. Answers with the plan, when it is carried out unless `dryRun`. */
  readonly folder: AnswerRequest = async ({ files, dryRun }) => {
    const { log } = this.#options.host;
    const migration = await readFolder(filesOf(files));
    const plan = await planOf(migration, log);
    this.#assertFree(migration.network);
    if (dryRun === false) await this.#carryOut(migration);
    return plan;
  };

  /** @throws AdapterError `refused` when that would end a network in which the hub has devices */
  #assertFree(network: NetworkParameters): void {
    const { nodes, network: own } = this.#options;
    if (isSame(own().parameters, network) || nodes.members().length === 0) return;
    throw new AdapterError(
      "refused",
      `the hub has ${nodes.members().length} Zigbee devices in a network of its own: remove them first`,
    );
  }

  async #carryOut(migration: Migration): Promise<void> {
    const { adopted, network, nodes, whenKept } = this.#options;
    const own = new Set(nodes.members().map(({ ieee }) => ieee));
    const wanted = migration.devices.filter((entry) => isUnderstood(entry) && !own.has(entry.ieeeAddr));
    await adopted.set(
      wanted.map(({ ieeeAddr: ieee }) => {
        const name = migration.names.get(ieee);
        return { ieee, ...(name !== undefined && { name }) };
      }),
    );
    const kept = whenKept(openMs);
    // A repetition only adds what is missing: the running network has moved on since the files were written.
    const isCarried = own.size > 0 || (await network().adopt(this.#adoptionOf(migration), openMs));
    if (isCarried && (await kept)) return;
    throw new AdapterError(
      "timeout",
      "the network is taken over, but no stick carries it yet: import again when one does",
    );
  }

  #adoptionOf({ network, backup, stick, database }: Migration): Parameters<Network["adopt"]>[0] {
    const kind = backup?.stick ?? stick;
    const now = this.#options.host.clock.now();
    const kept = backup && kind && keptBackup("coordinator_backup.json", backup, kind, now);
    return { network, backup: kept, database };
  }
}

/**
 * Returns a backup from a file as the hub keeps it.
 * @throws AdapterError `settings` when an ember stick cannot be restored from it
 */
export function keptBackup(
  where: string,
  { at, text }: ReadBackup,
  stick: StickKind,
  now: number,
): KeptBackup {
  const madeAt = at === undefined || at > now ? now - ageMs : at;
  return { stick, at: madeAt, text: textForLibrary(where, text, stick) };
}

export function isSame(own: NetworkParameters | undefined, other: NetworkParameters): boolean {
  return own?.networkKey === other.networkKey && own.extendedPanId === other.extendedPanId;
}

function filesOf(files: unknown): Zigbee2mqttFiles {
  if (!isRecord(files)) return refuseSetting("files", "must be texts by file name");
  const texts = [...zigbee2mqttFiles.keys()].flatMap((name) => {
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    if (text === undefined || text === null) return [];
    return typeof text === "string"
      ? [[name, text] as const]
      : refuseSetting(`files.${name}`, "must be a text");
  });
  const given: Partial<Zigbee2mqttFiles> = Object.fromEntries(texts);
  for (const [name, isNeeded] of zigbee2mqttFiles)
    if (isNeeded && given[name] === undefined) refuseSetting(name, "is missing");
  return given as Zigbee2mqttFiles;
}
