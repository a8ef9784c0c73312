import type { Kernel } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Configuration, ConfigurationRequested, LoggedEvent, UpgradeRequested } from "@ledge/model";
import { isUnderWay, limits, toldParameters } from "@ledge/model";
import type { AdapterRequest, NativeId } from "@ledge/port";
import { adapterErrorOf } from "@ledge/port";
import type { SupervisedAdapter } from "../adapters/supervisor.ts";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";
import type { CommandChains } from "./command-chains.ts";

/** The parts of the hub that this class uses. */
export interface UpkeepHost {
  readonly kernel: Kernel;
  readonly chains: CommandChains;
  readonly notes: Pick<Notes, "note">;
  readonly logger: Logger;
}

/** A request to a device: the message to its adapter and the note about the outcome. */
interface Errand {
  readonly device: string;
  readonly request: string;
  readonly asked: AdapterRequest;
  /** The note when it is done; missing when the device itself reports its progress. */
  readonly done?: string;
  readonly failed: string;
}

/**
 * Sends the settings and upgrades of one adapter's devices, one at a time per device. It follows the log:
 * settings that a stop left pending are sent when the adapter runs again. An upgrade is not repeated, because
 * it may have begun.
 */
export class Upkeep {
  readonly #protocol: string;
  readonly #host: UpkeepHost;
  readonly #adapter: Pick<SupervisedAdapter, "request">;
  readonly #keeping: (native: NativeId) => Promise<unknown> | undefined;
  /** The last errand of each device that has one under way. */
  readonly #last = new Map<string, Promise<void>>();
  /** Devices that slept when they were sent settings. */
  readonly #asleep = new Set<NativeId>();
  /** Requests with an errand. */
  readonly #taken = new Set<string>();

  /** @param keeping as in `AdapterPairing` */
  constructor(
    protocol: string,
    host: UpkeepHost,
    adapter: Pick<SupervisedAdapter, "request">,
    keeping: (native: NativeId) => Promise<unknown> | undefined,
  ) {
    this.#protocol = protocol;
    this.#host = host;
    this.#adapter = adapter;
    this.#keeping = keeping;
  }

  follow(event: LoggedEvent): void {
    if (event.type === "ConfigurationRequested") {
      const { id, request } = event as LoggedEvent<ConfigurationRequested>;
      const state = this.#host.kernel.get("configuration", id);
      if (state !== undefined) this.#run(configuring(state, request));
    }
    if (event.type === "UpgradeRequested") {
      const { id, request } = event as LoggedEvent<UpgradeRequested>;
      const asked = { type: "START_UPGRADE" };
      this.#run({ device: id, request, asked, failed: "NOTE_UPGRADE_REFUSED" });
    }
  }

  /** Sends pending settings to a started or restarted adapter, and fails the upgrades that it had under way. */
  running(): void {
    const { kernel } = this.#host;
    this.#asleep.clear();
    for (const [, state] of kernel.all("configuration")) this.#configure(state);
    for (const [id, state] of kernel.all("upgrade")) {
      const { requested } = state;
      if (!isUnderWay(state) || !this.#isMine(id) || (requested !== null && this.#taken.has(requested)))
        continue;
      const message = "the hub was stopped, or its adapter";
      void this.#note({ type: "NOTE_UPGRADE_LOST", id, message });
    }
  }

  /** A device has reported: sends the settings that it could not take while it slept. */
  heard(native: NativeId): void {
    if (!this.#asleep.delete(native)) return;
    for (const [, state] of this.#host.kernel.all("configuration")) {
      if (this.#host.kernel.get("binding", state.id)?.native === native) this.#configure(state);
    }
  }

  #configure(state: Configuration): void {
    for (const { request } of state.pending) this.#run(configuring(state, request));
  }

  #isMine(device: string): boolean {
    return this.#host.kernel.get("binding", device)?.protocol === this.#protocol;
  }

  #run(errand: Errand): void {
    const { device, request } = errand;
    if (this.#taken.has(request) || !this.#isMine(device)) return;
    this.#taken.add(request);
    const before = this.#last.get(device) ?? Promise.resolve();
    const done = before.then(() => this.#carryOut(errand));
    this.#last.set(device, done);
    void done.finally(() => {
      this.#taken.delete(request);
      if (this.#last.get(device) === done) this.#last.delete(device);
    });
  }

  async #carryOut({ device, request, asked, done, failed }: Errand): Promise<void> {
    const binding = this.#host.kernel.get("binding", device);
    if (binding === undefined || binding.removed) return;
    const keeping = this.#keeping(binding.native);
    if (keeping !== undefined) await keeping;
    try {
      await this.#adapter.request({ ...asked, native: binding.native }, limits.errandMs);
    } catch (error) {
      const { code, message } = adapterErrorOf(error);
      // The settings are still pending in the log.
      if (code === "asleep" && done !== undefined) {
        this.#asleep.add(binding.native);
        return;
      }
      await this.#note({ type: failed, id: device, request, code, message });
      return;
    }
    if (done !== undefined) await this.#note({ type: done, id: device, request });
  }

  async #note(note: { type: string; id: string; request?: string; [field: string]: unknown }): Promise<void> {
    const { kernel, chains, notes, logger } = this.#host;
    const chain = (note.request === undefined ? undefined : chains.get(note.request)) ?? {
      origin: "system" as const,
    };
    try {
      await kernel.submit({ commands: [note], ...chain });
    } catch (error) {
      // The note is kept until there is room for it.
      if (!isReadOnly(error))
        logger.error(
          { device: note.id, reason: (error as Error).message },
          "the outcome of a request to a device was not stored",
        );
      else await notes.note(note);
    }
  }
}

function configuring(state: Configuration, request: string): Errand {
  const asked = { type: "SET_CONFIGURATION", parameters: toldParameters(state, request) };
  return { device: state.id, request, asked, done: "NOTE_CONFIGURED", failed: "NOTE_CONFIGURATION_FAILED" };
}
