import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { limits } from "@ledge/model";
import type { SerialPort } from "./list.ts";
import { listPorts } from "./list.ts";

/** Options of `PortWatch`. */
export interface PortWatchOptions {
  /** As in `listPorts`. */
  readonly root?: string;
  readonly clock: { after(ms: number, callback: () => void): () => void };
  /** Called with the current ports: first when they are known, then after each change. */
  readonly changed: (ports: readonly SerialPort[]) => void;
  /** Called when a look has failed or `changed` has thrown; the next look calls `changed` again. */
  readonly failed: (error: unknown) => void;
}

/**
 * Watches the serial ports of the machine. inotify reports the links that udev makes; where udev or inotify
 * is missing, a look every `limits.serialRescanMs` finds changes.
 */
export class PortWatch {
  readonly #root: string;
  readonly #clock: PortWatchOptions["clock"];
  readonly #changed: PortWatchOptions["changed"];
  readonly #failed: PortWatchOptions["failed"];
  #watchers: readonly FSWatcher[] = [];
  #ports: readonly SerialPort[] | undefined;
  #known = "";
  #cancelSettled = (): void => {};
  #cancelRescan = (): void => {};
  #isRunning = false;
  #looking: Promise<void> = Promise.resolve();

  constructor({ root = "/", clock, changed, failed }: PortWatchOptions) {
    this.#root = root;
    this.#clock = clock;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** The ports as of the last look; undefined before the first. */
  get ports(): readonly SerialPort[] | undefined {
    return this.#ports;
  }

  /** Starts to watch. Resolves after the first look. */
  start(): Promise<void> {
    this.#isRunning = true;
    return this.look();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancelSettled();
    this.#cancelRescan();
    this.#watch([]);
  }

  /** Looks at once. Resolves when `ports` is up to date. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look()).catch(this.#failed);
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (!this.#isRunning) return;
    this.#cancelSettled();
    this.#cancelRescan();
    this.#cancelRescan = this.#clock.after(limits.serialRescanMs, () => void this.look());
    // Before the ports are listed, so that a change meanwhile triggers another look.
    this.#watchFolders();
    const ports = await listPorts(this.#root);
    const known = JSON.stringify(ports);
    if (!this.#isRunning || known === this.#known) return;
    this.#ports = ports;
    this.#changed(ports);
    this.#known = known;
  }

  /**
   * Renewed on each look, since a watched folder may vanish and return. Watches /dev itself only while it has
   * no folder of serial ports: /dev reports each write to a device, even to /dev/null.
   */
  #watchFolders(): void {
    const dev = join(this.#root, "dev");
    const serial = join(dev, "serial");
    this.#watch([serial, join(serial, "by-id")]);
    if (this.#watchers.length === 0) this.#watch([dev]);
  }

  #watch(folders: readonly string[]): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = folders.flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false });
        watcher.on("change", (kind) => {
          if (kind === "rename") this.#settle();
        });
        watcher.on("error", () => watcher.close());
        return watcher;
      } catch {
        return [];
      }
    });
  }

  /** The links of one stick appear one after the other. */
  #settle(): void {
    this.#cancelSettled();
    this.#cancelSettled = this.#clock.after(limits.serialSettleMs, () => void this.look());
  }
}
