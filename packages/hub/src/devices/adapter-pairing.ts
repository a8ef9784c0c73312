import type { Kernel } from "@ledge/kernel";
import type { Command, DeviceReplaced, LoggedEvent, ScanEnded } from "@ledge/model";
import { limits, scanId } from "@ledge/model";
import type { AdapterError, AdapterErrorCode, NativeId, PairingAction } from "@ledge/port";
import { adapterErrorOf } from "@ledge/port";
import type { SupervisedAdapter } from "../adapters/supervisor.ts";
import type { Logger } from "@ledge/host/logger";

/** An adapter that answers with one of these codes would answer the same again. */
const finalCodes: ReadonlySet<AdapterErrorCode> = new Set(["refused", "unsupported", "settings"]);

/**
 * Makes one adapter look for devices while a scan runs, and tells it which devices were kept. It follows the
 * log, so that an adapter that was down catches up when it is back.
 */
export class AdapterPairing {
  readonly #protocol: string;
  readonly #kernel: Kernel;
  readonly #adapter: Pick<SupervisedAdapter, "offers" | "pair">;
  readonly #logger: Logger;
  /** Devices that the adapter was told to keep and has not answered about. */
  readonly #keeping = new Map<NativeId, Promise<unknown>>();

  constructor(
    protocol: string,
    kernel: Kernel,
    adapter: Pick<SupervisedAdapter, "offers" | "pair">,
    logger: Logger,
  ) {
    this.#protocol = protocol;
    this.#kernel = kernel;
    this.#adapter = adapter;
    this.#logger = logger;
  }

  follow(event: LoggedEvent): void {
    if (event.type === "TimerSet" && event.id === scanId) this.#open();
    if (event.type === "ScanEnded") void this.#end(event as LoggedEvent<ScanEnded>);
    if (event.type === "DeviceReplaced") this.#replaced(event as LoggedEvent<DeviceReplaced>);
  }

  /**
   * Brings a started or restarted adapter up to date.
   * @param announced the devices that the adapter knows by itself
   */
  running(announced: ReadonlySet<NativeId>): void {
    if (!this.#adapter.offers.pairing) return;
    this.#loseUnfinished();
    this.#open();
    for (const [, { protocol, native, removed }] of this.#kernel.all("binding")) {
      if (protocol !== this.#protocol || removed || announced.has(native)) continue;
      this.#noteKeeping(native, this.#try({ type: "keep", native }));
    }
  }

  /** No join survives the process of its adapter, which finds again what has joined all the same. */
  #loseUnfinished(): void {
    const finds = Object.values(this.#kernel.get("scan", scanId)?.finds ?? {});
    const commands = finds
      .filter((find) => find.protocol === this.#protocol && !find.paired && find.pairingStatus !== "COMPLETE")
      .map(({ protocol, native }) => ({ type: "NOTE_LOST", protocol, native }) as Command);
    if (commands.length === 0) return;
    this.#kernel.submit({ commands, origin: "system", each: true }).catch((error: unknown) => {
      this.#logger.error({ reason: (error as Error).message }, "the end of a join was not stored");
    });
  }

  /**
   * Returns a promise while the adapter has not confirmed a device that was just kept. Requests to the device
   * must wait for it.
   * @returns undefined when the adapter has the device; otherwise resolves when it has taken or refused it
   */
  keeping(native: NativeId): Promise<unknown> | undefined {
    return this.#keeping.get(native);
  }

  /** Makes the adapter announce the new hardware again, because it describes another device of the hub now. */
  #replaced({ protocol, native }: DeviceReplaced): void {
    if (protocol === this.#protocol && this.#adapter.offers.pairing) void this.#try({ type: "keep", native });
  }

  #open(): void {
    const due = this.#kernel.get("timer", scanId)?.due;
    if (due === undefined || this.#kernel.get("scan", scanId) === undefined) return;
    const windowMs = Math.max(due - this.#kernel.now(), 0) + limits.scanStepMs;
    if (this.#adapter.offers.pairing) void this.#try({ type: "open", windowMs });
  }

  async #end({ kept, discarded }: ScanEnded): Promise<void> {
    if (!this.#adapter.offers.pairing) return;
    const mine = (finds: ScanEnded["kept"]): ScanEnded["kept"] =>
      finds.filter(({ protocol }) => protocol === this.#protocol);
    const closed = this.#close(mine(discarded));
    for (const { device, native } of mine(kept))
      this.#noteKeeping(
        native,
        closed.then(() => this.#keep(device, native)),
      );
    await closed;
  }

  async #close(discarded: ScanEnded["discarded"]): Promise<void> {
    await this.#try({ type: "close" });
    for (const { native } of discarded) void this.#try({ type: "discard", native });
  }

  /** Until the adapter has answered, it may not know the device. */
  #noteKeeping(native: NativeId, answered: Promise<unknown>): void {
    this.#keeping.set(native, answered);
    void answered.finally(() => {
      if (this.#keeping.get(native) === answered) this.#keeping.delete(native);
    });
  }

  /** A device that its adapter refuses to keep is removed again. */
  async #keep(device: string, native: NativeId): Promise<void> {
    const fault = await this.#try({ type: "keep", native });
    if (fault === undefined || !finalCodes.has(fault.code)) return;
    const name = this.#kernel.get("device", device)?.name ?? native;
    const alert = {
      msg_id: "PAIRING_FAILED",
      parameters: { name },
      sourceId: device,
      error: true,
      userId: null,
    };
    const commands = [
      { type: "REMOVE_DEVICE", id: device },
      { type: "RAISE_ALERT", ...alert },
    ] as Command[];
    await this.#kernel.submit({ commands, origin: "system", each: true }).catch((error: unknown) => {
      this.#logger.error({ device, reason: (error as Error).message }, "a failed pairing was not stored");
    });
  }

  async #try(action: PairingAction): Promise<AdapterError | undefined> {
    try {
      await this.#adapter.pair(action, limits.requestMs);
      return undefined;
    } catch (error) {
      const fault = adapterErrorOf(error);
      const { code, message } = fault;
      this.#logger.warn(
        { adapter: this.#protocol, action, code, reason: message },
        "a pairing action failed",
      );
      return fault;
    }
  }
}
