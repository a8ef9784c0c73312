import { existsSync } from "node:fs";
import { memoryBus, type RegisterStore } from "@ledge/fleet";
import { connectNatsBus } from "@ledge/fleet-nats";
import {
  openPostgresLog,
  openPostgresRegisterStore,
  PersonalKeyTable,
  type PostgresLog,
} from "@ledge/fleet-postgres";
import { logFolder } from "@ledge/host/folder";
import { nodeOf } from "../folder/folder.ts";
import { SharedKeys } from "./shared-keys.ts";
import type { Storage, StorageOptions } from "./storage.ts";
import { WriterLease } from "./writer-lease.ts";

export interface FleetStorageOptions extends StorageOptions {
  /** As of `openPostgresRegisterStore`. */
  readonly store: string;
  /** As of `connectNatsBus`; absent for a cloud of one process. */
  readonly bus?: string;
  readonly newId: () => string;
  /** Called when another process writes the log, so that this one must end. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Keeps what a cloud knows in a database, and shares news over a broker. The data folder has this process's keys alone.
 * One process at a time writes: opening waits until no other one does.
 * @throws Error when the folder has a log of its own; RegisterStoreError when the database does not answer
 */
export async function openFleetStorage(options: FleetStorageOptions): Promise<Storage> {
  const { folder, store: url, bus: busUrl, clock, logger, newId, registerBounds: bounds } = options;
  if (existsSync(logFolder(folder)))
    throw new Error(`${folder} has a log of its own: import it into the database, or use another folder`);
  const registers: RegisterStore = await openPostgresRegisterStore({ url, ...(bounds && { bounds }) });
  const lease = new WriterLease({ ...options, registers, node: nodeOf(folder, newId), instance: newId() });
  const after = (ms: number, callback: () => void): (() => void) => clock.after(ms, callback);
  const onError = (error: unknown): void => logger.error({ error }, "a message of the bus failed");
  const keyTable = new PersonalKeyTable(url);
  let log: PostgresLog | undefined;
  let keys: SharedKeys | undefined;
  let epoch = 0;
  return {
    openKeys: async (secrets) => {
      // Whoever held the lease before makes no more keys.
      epoch = await lease.take();
      return (keys = await SharedKeys.open(keyTable, secrets, logger));
    },
    openLog: async (sealing) => {
      const onOutage = (reason: string | undefined): void => lease.noteLog(reason);
      const before = async (): Promise<void> => keys?.flush();
      log = await openPostgresLog({ url, fence: { lease: lease.name, epoch }, sealing, before, onOutage });
      return log;
    },
    attach: (kernel) => lease.attach(kernel),
    openRegisters: () => Promise.resolve(registers),
    openBus: async () =>
      busUrl === undefined
        ? memoryBus({ after, onError })
        : connectNatsBus({
            url: busUrl,
            after,
            onError,
            onConnected: (isConnected) => logger.warn({ isConnected }, "the broker was lost, or is back"),
          }),
    leave: () => {
      if (lease.isOut) log?.abandon();
    },
    close: async () => {
      await lease.release();
      await keyTable.close();
      await registers.close();
    },
  };
}
