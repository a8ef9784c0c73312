import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { limits } from "@ledge/model";
import type { SerialPort } from "./list.ts";
import { listPorts } from "./list.ts";

export interface PortWatchOptions {
  /** As of `listPorts`. */
  readonly root?: string;
  readonly clock: { after(ms: number, callback: () => void): () => void };
  /** Called with the ports that are there, first when they are known and then whenever one came, went or changed. */
  readonly changed: (ports: readonly SerialPort[]) => void;
  /** A look has failed, or `changed` has thrown: it is called again with the next look. */
  readonly failed: (error: unknown) => void;
}

/**
 * Follows which serial ports there are. The system tells of links that udev makes; where it does not, because there is
 * no udev or no inotify, a look every `limits.serialRescanMs` finds out.
 */
export class PortWatch {
  readonly #root: string;
  readonly #clock: PortWatchOptions["clock"];
  readonly #changed: PortWatchOptions["changed"];
  readonly #failed: PortWatchOptions["failed"];
  #watchers: readonly FSWatcher[] = [];
  #ports: readonly SerialPort[] = [];
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

  /** What was there when it last looked. */
  get ports(): readonly SerialPort[] {
    return this.#ports;
  }

  /** Resolves when it has looked for the first time. */
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

  /** Looks at once. Resolves when `ports` are those that are there. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look()).catch(this.#failed);
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (!this.#isRunning) return;
    this.#cancelSettled();
    this.#cancelRescan();
    this.#cancelRescan = this.#clock.after(limits.serialRescanMs, () => void this.look());
    // Before the ports are listed: what comes meanwhile is looked at again.
    this.#watchFolders();
    const ports = await listPorts(this.#root);
    const known = JSON.stringify(ports);
    if (!this.#isRunning || known === this.#known) return;
    this.#ports = ports;
    this.#changed(ports);
    this.#known = known;
  }

  /**
   * Anew each time, as a watched folder may be gone and be there again. /dev itself is watched only while it has no
   * folder of serial ports: there each write to a device is told of, even one to /dev/null.
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

  /** The links of one stick come one after the other. */
  #settle(): void {
    this.#cancelSettled();
    this.#cancelSettled = this.#clock.after(limits.serialSettleMs, () => void this.look());
  }
}
