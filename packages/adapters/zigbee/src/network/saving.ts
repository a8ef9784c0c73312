import { type AdapterHost, settledWithin } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import { isBackupOf, isRestorable } from "./backup.ts";
import type { StickKind } from "../settings.ts";
import type { DeviceEntries } from "./device-entries.ts";
import type { Kept } from "./kept-network.ts";
import type { LibraryFiles } from "./library-files.ts";

const dayMs = 86_400_000;
/** The tables of a large network take some seconds to read. */
const backupMs = 20_000;
/** A backup younger than this is not repeated. */
const freshMs = 10_000;
/** Devices exchange keys for a while after they have joined, and joins and leaves come in rows. */
const afterChangeMs = 30_000;
const copySoonMs = 2000;
const copyMs = 60_000;
/** Time limits at a stop; the hub waits five seconds in all. */
const lastMs = { backUp: 1500, copy: 1000 };

/** What `Saving` works on. */
export interface SavingParts {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly entries: DeviceEntries;
  readonly files: LibraryFiles;
  readonly stick: StickKind;
  readonly controller: Controller;
}

/** Saves the state of the library and the stick to the store while a stick is open. */
export class Saving {
  readonly #parts: SavingParts;
  readonly #timers = new Map<string, () => void>();
  #backingUp: Promise<boolean> = Promise.resolve(false);
  /** How often devices have joined or left. */
  #changes = 0;
  #isEnded = false;

  constructor(parts: SavingParts) {
    this.#parts = parts;
    const { controller } = parts;
    const copySoon = (): void => this.#after("copy soon", copySoonMs, () => void this.copy());
    controller.on("deviceJoined", copySoon);
    controller.on("deviceInterview", copySoon);
    controller.on("deviceLeave", copySoon);
    controller.on("deviceNetworkAddressChanged", copySoon);
    this.#copyNowAndThen();
    this.#backUpDaily();
    if (parts.kept.isBackupDue) this.#backUpSoon();
  }

  /** Copies the library's devices to the store. Logs a failure. */
  async copy(): Promise<void> {
    const { files, entries, host } = this.#parts;
    try {
      const text = files.readDatabase();
      if (text !== undefined) await entries.copy(text);
    } catch (error) {
      host.log("warn", "could not store the library's devices", { reason: (error as Error).message });
    }
  }

  /**
   * Replaces any present backup, which may be of another stick. Resolves as `backUp` does.
   * @param isMade whether the library has just written one: it does so of a network that it forms, or has no backup of
   */
  async backUpAnew(isMade: boolean): Promise<void> {
    const backup = this.#backingUp.then(
      async () => (isMade && (await this.#keepMade())) || (await this.#backUp()),
    );
    this.#backingUp = backup;
    await backup;
  }

  /**
   * Backs up, unless that was just done. Resolves when the backup is stored, has failed, or takes too long.
   * @returns whether the stored backup is fresh
   */
  async backUp(): Promise<boolean> {
    const backup = this.#backingUp.then(() => this.#backUpUnlessFresh());
    this.#backingUp = backup;
    return await backup;
  }

  /**
   * Saves after devices have joined or left. The backup follows later, in the next run of the adapter if need be:
   * reading the coordinator's tables takes seconds, for which no join or leave waits.
   */
  async membersChanged(): Promise<void> {
    const { kept, host } = this.#parts;
    this.#changes += 1;
    this.#backUpSoon();
    try {
      await kept.setBackupDue(true);
    } catch (error) {
      host.log("warn", "could not store that a backup is due", { reason: (error as Error).message });
    }
    await this.copy();
  }

  #backUpSoon(): void {
    this.#after("backup after a change", afterChangeMs, () => void this.backUp());
  }

  /**
   * Stops the timers.
   * @param isLast whether to save once more, within a time limit
   */
  async end(isLast: boolean): Promise<void> {
    const { clock } = this.#parts.host;
    if (isLast) await settledWithin(lastMs.backUp, clock, this.backUp());
    this.#isEnded = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await settledWithin(lastMs.copy, clock, this.copy());
  }

  async #backUpUnlessFresh(): Promise<boolean> {
    const { kept, host } = this.#parts;
    const at = kept.backup?.at ?? -Infinity;
    const isFresh = Math.abs(host.clock.now() - at) < freshMs && !kept.isBackupDue;
    if (isFresh) return true;
    return this.#isEnded ? false : await this.#backUp();
  }

  /** @returns whether the backup is stored */
  async #backUp(): Promise<boolean> {
    const { controller, stick, kept, files, host } = this.#parts;
    if (!isRestorable(stick) || kept.network === undefined) return false;
    const changes = this.#changes;
    try {
      files.makeFolder();
      if (!(await settledWithin(backupMs, host.clock, controller.backup())))
        throw new Error("the stick does not support a backup");
      if (!(await this.#keep())) throw new Error("the backup is of another network");
      if (changes === this.#changes) await kept.setBackupDue(false);
      return true;
    } catch (error) {
      // That is normal while the adapter stops or the stick is gone.
      const level = this.#isEnded ? "debug" : "warn";
      host.log(level, "could not back up the coordinator", { reason: (error as Error).message });
      return false;
    }
  }

  /**
   * Stores the backup that the library has written.
   * @returns false when it is of another network
   * @throws when there is none
   */
  async #keep(): Promise<boolean> {
    const { stick, kept, files, host } = this.#parts;
    const text = files.readBackup();
    if (kept.network === undefined || !isBackupOf(text, kept.network)) return false;
    await kept.setBackup({ stick, at: host.clock.now(), text });
    return true;
  }

  /** As `keep`, also when there is no file: reading the tables of a stick again would hold up devices that join. */
  async #keepMade(): Promise<boolean> {
    try {
      return await this.#keep();
    } catch {
      return false;
    }
  }

  #copyNowAndThen(): void {
    this.#after("copy", copyMs, () => void this.copy().then(() => this.#copyNowAndThen()));
  }

  #backUpDaily(): void {
    const { kept, host } = this.#parts;
    // Of a network without any, `backUpAnew` stores the first one.
    const age = kept.backup ? host.clock.now() - kept.backup.at : 0;
    const wait = Math.min(Math.max(dayMs - age, 0), dayMs);
    this.#after("daily backup", wait, () => {
      void this.backUp();
      this.#after("daily backup", dayMs, () => this.#backUpDaily());
    });
  }

  #after(name: string, ms: number, callback: () => void): void {
    if (this.#isEnded) return;
    this.#timers.get(name)?.();
    this.#timers.set(name, this.#parts.host.clock.after(ms, callback));
  }
}
