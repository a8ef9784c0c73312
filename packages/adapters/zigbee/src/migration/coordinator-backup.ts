import { limits } from "@ledge/model";
import type { AnswerRequest } from "@ledge/port";
import { AdapterError, refuseSetting } from "@ledge/port";
import { isRestorable } from "../network/backup.ts";
import type { KeptBackup } from "../network/kept-network.ts";
import type { Network } from "../network/network.ts";
import type { StickKind } from "../settings.ts";
import type { ImportOptions } from "./import.ts";
import { isSame, keptBackup, openMs } from "./import.ts";
import type { ReadBackup } from "./open-backup.ts";
import { readBackup } from "./open-backup.ts";

const field = "backup";

/** Options of `CoordinatorBackup`. */
export interface CoordinatorBackupOptions extends Pick<ImportOptions, "host" | "nodes"> {
  readonly network: () => Pick<
    Network,
    "adopt" | "backUp" | "backedUpFrames" | "carried" | "kind" | "problem"
  >;
}

/** A backup for users: nothing secret. */
export interface BackupFacts {
  readonly channel: number;
  readonly panId: number;
  readonly extendedPanId: string;
  readonly devices: number;
  /** When it was made (ms since the epoch); null when it does not tell. */
  readonly at: number | null;
}

/** Hands out the coordinator's state in the open coordinator format, and takes it back. */
export class CoordinatorBackup {
  readonly #options: CoordinatorBackupOptions;

  constructor(options: CoordinatorBackupOptions) {
    this.#options = options;
  }

  /** GET_ZIGBEE_BACKUP. The text contains the keys of the network. */
  readonly export: AnswerRequest = async () => {
    const { text } = await this.#options.network().backUp();
    return { ...factsOf(readBackup(field, text)), text };
  };

  /**
   * RESTORE_ZIGBEE_BACKUP {backup, replace, dryRun}. Answers with the facts of the backup, when a stick carries its
   * network unless `dryRun`.
   */
  readonly restore: AnswerRequest = async ({ backup: text, replace, dryRun }) => {
    if (typeof text !== "string") return refuseSetting(field, "must be a text");
    if (text.length > limits.importChars)
      return refuseSetting(field, `is longer than ${limits.importChars} characters`);
    const read = readBackup(field, text);
    const backup = this.#kept(read);
    this.#assertWanted(read, replace === true);
    if (dryRun === false) await this.#carryOut(read, backup);
    return factsOf(read);
  };

  /** @throws AdapterError `refused` when the stick cannot take the backup */
  #kept(read: ReadBackup): KeptBackup {
    const { host, network } = this.#options;
    const chosen = network().kind;
    const kind: StickKind | undefined = read.stick ?? chosen;
    const refuse = (reason: string): never => {
      throw new AdapterError("refused", `${field}: ${reason}`);
    };
    if (kind === undefined) return refuse("it does not tell its kind of stick: choose a stick first");
    if (chosen !== undefined && !isRestorable(chosen))
      return refuse(`a network cannot be put onto a ${chosen} stick`);
    if (chosen !== undefined && chosen !== kind)
      return refuse(`it is for sticks of the driver ${kind}, and the hub's is ${chosen}`);
    return keptBackup(field, read, kind, host.clock.now());
  }

  /** @throws AdapterError `refused` for a network or a backup that nobody wants to lose */
  #assertWanted({ network: other, frameCounter }: ReadBackup, replaces: boolean): void {
    const { nodes, network } = this.#options;
    const { carried: own, backedUpFrames } = network();
    if (own === undefined) return;
    if (!isSame(own, other)) {
      if (replaces) return;
      const [present, theirs] = [own.extendedPanId, other.extendedPanId];
      throw new AdapterError(
        "refused",
        `replace: the backup is of the network ${theirs}, and the hub has the network ${present} ` +
          `with ${nodes.members().length} devices, which it would lose`,
      );
    }
    // Not the time, which may be wrong: devices reject frames whose number they have seen.
    if (backedUpFrames !== undefined && frameCounter < backedUpFrames)
      throw new AdapterError("refused", `${field}: the hub has the same network, and a newer backup of it`);
  }

  async #carryOut({ network: other, members }: ReadBackup, backup: KeptBackup): Promise<void> {
    const network = this.#options.network();
    const isOwn = isSame(network.carried, other);
    const adoption = { network: other, backup, members, ...(!isOwn && { database: "" }) };
    if (await network.adopt(adoption, openMs)) return;
    throw new AdapterError(
      "timeout",
      `the network is restored, but no stick carries it yet: ${network.problem ?? "the stick is being opened"}`,
    );
  }
}

function factsOf({ network, members, at }: ReadBackup): BackupFacts {
  const { channel, panId, extendedPanId } = network;
  return { channel, panId, extendedPanId, devices: members.length, at: at ?? null };
}
