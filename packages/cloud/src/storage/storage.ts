import { join } from "node:path";
import {
  type Bus,
  memoryBus,
  openLmdbRegisterStore,
  type RegisterStore,
  type SourceBounds,
} from "@ledge/fleet";
import { logFolder } from "@ledge/host/folder";
import type { Keyring } from "@ledge/host/personal/keyring";
import { PersonalKeys } from "@ledge/host/personal/keys";
import type { SecretKeys } from "@ledge/host/secrets/keys";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel, KernelOptions } from "@ledge/kernel";
import { type EventLog, openLmdbLog, type Sealing } from "@ledge/log";
import type { Cluster } from "../cluster/cluster.ts";
import { isInDatabase } from "../folder/folder.ts";
import type { CloudStates } from "../model/states.ts";

/** Where a cloud keeps what it knows, and how its parts hear of news. */
export interface Storage {
  /** Opens the keys of people; called first. */
  openKeys(secrets: SecretKeys): Promise<Keyring>;
  /** Opens the log. @throws LogError, or why it cannot be reached */
  openLog(sealing: Sealing): Promise<EventLog>;
  /** Opens the kernel over the log, in its own way when other processes have the same log. Absent: `openKernel`. */
  openKernel?(options: KernelOptions<CloudStates>): Kernel<CloudStates>;
  /** Called when the kernel is open; resolves when the cloud is founded, or this process may found it. */
  attach?(): Promise<void>;
  /** Calls back once this process writes the log: at once, unless it follows another. Absent: it always does. */
  onLeading?(callback: () => void): void;
  /** What joins the processes of one cloud. */
  readonly cluster?: Cluster;
  openRegisters(now: () => number): Promise<RegisterStore>;
  openBus(): Promise<Bus>;
  /** Called before the kernel closes: what cannot be stored now must not hold it up. */
  leave?(): void;
  /** Closes the registers and what else it holds. Called last, also when opening has failed. */
  close(): Promise<void>;
}

export interface StorageOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How much of its home each hub may have in its register; default: as in `limits`. */
  readonly registerBounds?: SourceBounds;
}

/** Keeps everything in the data folder. */
export function embeddedStorage({ folder, clock, logger, registerBounds: bounds }: StorageOptions): Storage {
  let registers: RegisterStore | undefined;
  return {
    openKeys: async () => new PersonalKeys(folder),
    openLog: async (sealing) => {
      if (isInDatabase(folder))
        throw new Error(`the cloud of ${folder} is in a database: name it with --store`);
      return openLmdbLog({ folder: logFolder(folder), sealing });
    },
    openRegisters: async (now) =>
      (registers = await openLmdbRegisterStore({
        folder: join(folder, "registers"),
        now,
        onDiscarded: (problem) => logger.warn({ problem }, "the registers are damaged: hubs tell them anew"),
        ...(bounds && { bounds }),
      })),
    openBus: async () =>
      memoryBus({
        after: (ms, callback) => clock.after(ms, callback),
        onError: (error) => logger.error({ error }, "a message of the bus failed"),
      }),
    close: async () => registers?.close(),
  };
}
