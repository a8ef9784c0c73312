import type { Clock, Kernel } from "@ledge/kernel";
import type { AlarmCommand, Hub, SetPrices } from "@ledge/model";
import { alarmId, features, limits, slotAt } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";
import { readDayAhead } from "./day-ahead.ts";
import { knowsTomorrow, localDay } from "./local-day.ts";
import { PriceProblem } from "./price-problem.ts";
import type { PriceSettings } from "./settings.ts";
import type { PriceSource } from "./source.ts";

/** The parts of the hub that the feed uses. */
export interface FeedHost {
  readonly kernel: Kernel;
  readonly clock: Pick<Clock, "after">;
  readonly notes: Notes;
  readonly logger: Logger;
  readonly hubId: string;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/**
 * Keeps the hub's prices up to date from a source while SPOT_PRICES is on and the clock is trusted. It checks a
 * file all the time. It asks an address when no price is known for now, and for tomorrow from the published
 * hour on. A faulty source leaves the known prices in place.
 */
export class PriceFeed {
  readonly #host: FeedHost;
  readonly #source: PriceSource;
  readonly #area: string | undefined;
  /**
   * The minute of the hub's day after which it asks for tomorrow. It differs per hub, to spread the load of the
   * source.
   */
  readonly #published: number;
  #notBefore = 0;
  #retryMs: number = limits.priceRetryMinMs;
  #problem: string | undefined;
  /** The day of the last alarm about missing prices for tomorrow. */
  #toldOn: string | undefined;
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor({ area, publishedHour = 14 }: PriceSettings, source: PriceSource, host: FeedHost) {
    this.#host = host;
    this.#source = source;
    this.#area = area;
    const jitter = source.isNear ? 0 : Math.floor((host.random() * limits.priceJitterMs) / 60_000);
    this.#published = publishedHour * 60 + jitter;
  }

  start(): void {
    void this.#check()
      .catch((error: unknown) => this.#host.logger.error({ error }, "prices could not be processed"))
      .finally(() => {
        if (!this.#isStopped) this.#cancel = this.#host.clock.after(limits.priceCheckMs, () => this.start());
      });
  }

  /** Stops the feed without waiting for a read under way. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #check(): Promise<void> {
    const { kernel, hubId } = this.#host;
    const hub = kernel.get("hub", hubId);
    if (!kernel.clockTrusted || hub?.features.includes(features.SPOT_PRICES) !== true) return;
    if (this.#source.isNear || this.#isDue(hub)) await this.#read();
    if (!this.#isStopped) await this.#tell(hub);
  }

  #isDue({ timezone }: Hub): boolean {
    const { kernel, hubId } = this.#host;
    const now = kernel.now();
    if (now < this.#notBefore) return false;
    const { slots = [] } = kernel.get("price", hubId) ?? {};
    if (slotAt(slots, now) === undefined) return true;
    return localDay(now, timezone).minutes >= this.#published && !knowsTomorrow(slots, now, timezone);
  }

  async #read(): Promise<void> {
    const { kernel, logger, random } = this.#host;
    try {
      const isNews = await this.#take(await this.#source.read());
      if (isNews) this.#retryMs = limits.priceRetryMinMs;
      if (isNews && this.#problem !== undefined) logger.info("prices are read again");
      if (isNews) this.#problem = undefined;
    } catch (error) {
      if (!(error instanceof PriceProblem)) this.#source.forget();
      const problem = (error as Error).message;
      if (problem !== this.#problem) logger.warn({ problem }, "prices cannot be read");
      this.#problem = problem;
    }
    this.#notBefore = kernel.now() + this.#retryMs * (1 - random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, limits.priceRetryMaxMs);
  }

  /** @returns whether the source had new prices */
  async #take(json: unknown): Promise<boolean> {
    if (json === undefined || this.#isStopped) return false;
    const { kernel, hubId: id } = this.#host;
    const command: SetPrices = { type: "SET_PRICES", id, ...readDayAhead(json, this.#area) };
    const outcome = await kernel.submit({ commands: [command], origin: "system" });
    if (!outcome.accepted) throw new PriceProblem(outcome.rejection.message);
    return true;
  }

  /** Raises an alarm once a day while tomorrow's prices are late, and closes it when they arrive. */
  async #tell({ timezone }: Hub): Promise<void> {
    const { kernel, notes, hubId } = this.#host;
    const now = kernel.now();
    const { date, minutes } = localDay(now, timezone);
    const alarm = alarmId("PRICES_MISSING", hubId);
    const isOpen = kernel.get("alarm", alarm)?.closed === false;
    if (knowsTomorrow(kernel.get("price", hubId)?.slots ?? [], now, timezone)) {
      const close: AlarmCommand = { type: "CLOSE_ALARM", id: alarm };
      if (isOpen) await notes.note(close);
      return;
    }
    const isLate = minutes >= this.#published + limits.pricesLateMs / 60_000;
    if (!isLate || isOpen || this.#toldOn === date) return;
    this.#toldOn = date;
    await alarmOfHub(kernel, notes, hubId, "PRICES_MISSING", this.#problem ?? "the source has none yet");
  }
}
