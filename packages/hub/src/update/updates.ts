import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type HubUpdate, type HubUpdates, Refused } from "@ledge/api";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { type Available, fetchBundle, readFeed } from "./feed.ts";
import { copyFolder, forgetCopy, restoreCopy, sizeOfCopy } from "./folder-copy.ts";
import type { UpdateBackend } from "./rauc.ts";
import { refuseWithoutRoom } from "./room.ts";
import {
  decideUpdate,
  evolveUpdate,
  isRunning,
  type Release,
  type SlotFacts,
  type UpdateCommand,
  type UpdateEvent,
  type UpdateState,
} from "./update.ts";
import { UpdateError } from "./update-error.ts";
import { UpdateFile, updateFolder } from "./update-file.ts";
import { isNewer } from "./version-order.ts";

export interface UpdatesOptions {
  /** The data folder. */
  readonly folder: string;
  readonly backend: UpdateBackend;
  readonly running: Release;
  /** Where newer releases are announced; null for nowhere: bundles then come as files. */
  readonly url: string | null;
  readonly clock: Pick<Clock, "wall" | "after">;
  readonly logger: Logger;
  /** Reboots the machine. */
  readonly reboot: () => void;
  /** Called after a log that another release had written was put aside. */
  readonly onRestored: (reason: string) => Promise<void>;
}

/** What the health gate asks of a hub. */
export interface Serving {
  /** Whether it serves now, with all its files. */
  readonly isServing: () => boolean;
  /** Walks the whole log. @returns what is wrong with it, if anything */
  readonly walkLog: () => Promise<string | undefined>;
  readonly clock: Pick<Clock, "after">;
}

/** The updates of a machine with two root file systems: fetched, checked, installed, tried, kept or taken back. */
export class Updates implements HubUpdates {
  readonly #options: UpdatesOptions;
  readonly #file: UpdateFile;
  #state: UpdateState;
  #slots: SlotFacts | undefined;
  #problem: string | undefined;
  #available: Available | undefined;
  #percent: number | null = null;
  #isStopped = false;
  #stop: () => void = () => {};
  #stopFeed: () => void = () => {};
  readonly #listeners = new Set<() => void>();

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#file = new UpdateFile(options.folder);
    this.#state = this.#file.read();
  }

  /**
   * Finds out what the last boot means for an update. It runs before the log is opened: this release's log may have
   * to be copied first, or put back.
   */
  async start(): Promise<void> {
    const { folder, logger, onRestored } = this.#options;
    try {
      this.#slots = await this.#askSlots();
    } catch (error) {
      this.#problem = `this machine has no updates now: ${(error as Error).message}`;
      logger.error({ error }, "the slots of this machine cannot be read: it has no updates");
      return;
    }
    const decided = decideUpdate(this.#state, { type: "NOTE_STARTED", slots: this.#slots });
    if ("refusal" in decided) return;
    for (const event of decided) {
      if (event.type === "TrialBegun" && this.#unreadable().length > 0) copyFolder(folder);
      if (event.type === "UpdateRolledBack" && event.since !== null && restoreCopy(folder))
        await onRestored(event.message);
      this.#evolve(event);
    }
    for (const { type } of decided)
      logger.warn({ event: type, stage: this.#state.stage }, "an update goes on");
    rmSync(this.#bundle(), { force: true });
  }

  /** RAUC's service may still be starting. */
  async #askSlots(): Promise<SlotFacts> {
    const { backend, clock } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await backend.slots();
      } catch (error) {
        if (tries === limits.updateStartTries) throw error;
        await new Promise<void>((resolve) => clock.after(limits.updateLookMs, resolve));
      }
    }
  }

  /** Marks the slot good that runs on trial, once the hub has served for a minute with a whole log. */
  watch(serving: Serving): void {
    const { logger, backend } = this.#options;
    const slots = this.#slots;
    if (slots === undefined || (slots.isGood[slots.booted] && this.#state.stage.phase !== "TRIAL")) return;
    let served = 0;
    const look = async (): Promise<void> => {
      served = serving.isServing() ? served + limits.updateLookMs : 0;
      if (served < limits.updateTrialMs) return later();
      const damage = await serving.walkLog();
      if (damage !== undefined) {
        logger.error({ damage }, "the release on trial has no whole log: it is not kept");
        return;
      }
      await backend.confirm();
      this.#slots = await backend.slots();
      this.#tell({ type: "NOTE_HEALTHY" });
      logger.warn({ version: this.#options.running.version }, "the release on trial serves: it is kept");
    };
    const later = (): void => {
      if (this.#isStopped) return;
      this.#stop = serving.clock.after(limits.updateLookMs, () => {
        look().catch((error: unknown) => {
          logger.error({ error }, "the release on trial could not be marked good: it is tried again");
          served = 0;
          later();
        });
      });
    };
    later();
  }

  /** Looks into the feed now and then, so that clients are offered a newer release. It installs nothing. */
  watchFeed(): void {
    const { url, clock, logger } = this.#options;
    if (url === null || this.#problem !== undefined) return;
    const look = async (): Promise<void> => {
      const refused = await this.check();
      if (refused !== undefined) throw refused;
    };
    const later = (ms: number): void => {
      if (this.#isStopped) return;
      this.#stopFeed = clock.after(ms, () => {
        look()
          .catch((error: unknown) => logger.warn({ error }, "the feed of updates cannot be read"))
          .finally(() => later(limits.updateCheckMs));
      });
    };
    later(limits.updateFirstCheckMs);
  }

  /** Ends what waits. A look that is under way is the last. */
  stop(): void {
    this.#isStopped = true;
    this.#stop();
    this.#stopFeed();
  }

  /** Calls back whenever `status` may have changed. @returns a function that ends it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  status(): HubUpdate {
    const { running } = this.#options;
    const { stage, outcome, previous } = this.#state;
    const version = "to" in stage ? (typeof stage.to === "string" ? stage.to : stage.to.version) : null;
    const { version: offered } = this.#available ?? {};
    return {
      type: "HUB_UPDATE",
      release: running.version,
      updatesItself: true,
      phase: stage.phase,
      version,
      pctComplete: this.#percent,
      available: offered !== undefined && isNewer(offered, running.version) ? offered : null,
      outcome,
      previous: previous && { version: previous.version, losesSince: previous.since },
    };
  }

  async check(): Promise<Refused | undefined> {
    const { url } = this.#options;
    if (this.#problem !== undefined) return new Refused(422, this.#problem);
    if (url === null) return new Refused(422, "the profile names no feed of updates");
    try {
      this.#available = await readFeed(url);
      this.#changed();
      return undefined;
    } catch (error) {
      if (error instanceof UpdateError) return new Refused(422, error.message);
      throw error;
    }
  }

  problem(action: "INSTALL" | "ROLL_BACK", file?: string): string | undefined {
    if (this.#problem !== undefined || this.#slots === undefined) return this.#problem ?? "the hub starts";
    if (action === "INSTALL" && file === undefined && this.#options.url === null)
      return "the profile names no feed of updates";
    const decided = decideUpdate(this.#state, this.#command(action, this.#slots));
    return "refusal" in decided ? decided.refusal : undefined;
  }

  async begin(action: "INSTALL" | "ROLL_BACK", file?: string): Promise<Refused | undefined> {
    try {
      const slots = await this.#options.backend.slots();
      this.#slots = slots;
      const refusal = this.problem(action, file) ?? this.#tell(this.#command(action, slots));
      if (refusal !== undefined) return new Refused(422, refusal);
      if (action === "ROLL_BACK") await this.#goBack();
      else void this.#install(file);
      return undefined;
    } catch (error) {
      if (error instanceof UpdateError) return new Refused(422, error.message);
      throw error;
    }
  }

  async #goBack(): Promise<void> {
    try {
      await this.#options.backend.goBack();
    } catch (error) {
      this.#tell({ type: "NOTE_FAILED", message: (error as Error).message });
      throw error;
    }
    this.#options.reboot();
  }

  async #install(file: string | undefined): Promise<void> {
    const { backend, running, folder, logger } = this.#options;
    const bundle = this.#bundle();
    try {
      await this.#fetch(file, bundle);
      this.#percent = null;
      this.#tell({ type: "NOTE_FETCHED" });
      this.#tell({ type: "NOTE_CHECKED", running, bundle: await backend.check(bundle) });
      if (this.#state.stage.phase !== "INSTALLING") return;
      // What the other slot held is gone from here on, and the copy of its log with it.
      forgetCopy(folder);
      // The data folder is copied at the first start of a release whose log this one cannot read.
      if (this.#unreadable().length > 0)
        await refuseWithoutRoom(folder, sizeOfCopy(folder), "keep the log as it is for a way back");
      await backend.install(bundle, (percent) => this.#progressed(percent));
      this.#tell({ type: "NOTE_INSTALLED" });
      this.#options.reboot();
    } catch (error) {
      if (!(error instanceof UpdateError)) logger.error({ error }, "an update failed");
      if (isRunning(this.#state.stage))
        this.#tell({ type: "NOTE_FAILED", message: (error as Error).message });
    } finally {
      this.#percent = null;
      rmSync(bundle, { force: true });
    }
  }

  async #fetch(file: string | undefined, bundle: string): Promise<void> {
    const { url, folder, running } = this.#options;
    mkdirSync(updateFolder(folder), { recursive: true, mode: 0o700 });
    if (file !== undefined) return copyFileSync(file, bundle);
    this.#available = await readFeed(url ?? "");
    const { bytes, version } = this.#available;
    if (!isNewer(version, running.version))
      throw new UpdateError(`there is no newer release than ${running.version}`);
    await refuseWithoutRoom(folder, bytes, "fetch the bundle");
    await fetchBundle(this.#available, bundle, (count) => {
      this.#progressed(Math.floor((count * 100) / bytes));
    });
  }

  #command(action: "INSTALL" | "ROLL_BACK", slots: SlotFacts): UpdateCommand {
    return { type: action === "INSTALL" ? "REQUEST" : "ROLL_BACK", running: this.#options.running, slots };
  }

  /** @returns why it is refused, if it is */
  #tell(command: UpdateCommand): string | undefined {
    const decided = decideUpdate(this.#state, command);
    if ("refusal" in decided) return decided.refusal;
    for (const event of decided) this.#evolve(event);
    return undefined;
  }

  #evolve(event: UpdateEvent): void {
    this.#state = evolveUpdate(this.#state, event, this.#options.clock.wall());
    this.#file.write(this.#state);
    this.#changed();
  }

  #progressed(percent: number): void {
    if (this.#percent === percent) return;
    this.#percent = percent;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #unreadable(): readonly string[] {
    const { stage } = this.#state;
    if (stage.phase === "IDLE") return stage.left?.unreadable ?? [];
    return "unreadable" in stage ? stage.unreadable : [];
  }

  #bundle(): string {
    return join(updateFolder(this.#options.folder), "new.raucb");
  }
}
