import { attribute } from "@ledge/model";
import type { Attributes } from "./behaviour/behaviour.ts";

/** The least change of a level that is worth a report, and the least time between reports. */
interface Pace {
  /** The change as a share of the last reported value, with `least` as its floor. */
  readonly share?: number;
  readonly least: number;
  readonly everyMs: number;
}

const second = 1000;
const watts: Pace = { share: 0.01, least: 0.5, everyMs: 5 * second };

/** Unlisted attributes are reported whenever they change. */
const paces: Readonly<Record<string, Pace>> = {
  brightness: { least: 0, everyMs: second },
  hue: { least: 0, everyMs: second },
  saturation: { least: 0, everyMs: second },
  temperature: { least: 0.1, everyMs: 45 * second },
  humidity: { least: 0.5, everyMs: 45 * second },
  pressure: { least: 20, everyMs: 300 * second },
  co2Ppm: { least: 4, everyMs: 20 * second },
  vocPpm: { least: 3, everyMs: 20 * second },
  lux: { share: 0.02, least: 2, everyMs: 12 * second },
  activePower: watts,
  power: watts,
  totalPower: { least: 0.1, everyMs: 60 * second },
  powerToday: { least: 0.1, everyMs: 60 * second },
  rssi: { least: 4, everyMs: 60 * second },
  batteryV: { least: 0.01, everyMs: 3600 * second },
  battery: { least: 1, everyMs: 3600 * second },
  heatingDemand: { least: 0.05, everyMs: 30 * second },
  freshTemperature: { least: 0.2, everyMs: 60 * second },
  supplyTemperature: { least: 0.2, everyMs: 60 * second },
  extractTemperature: { least: 0.2, everyMs: 60 * second },
  position: { least: 0, everyMs: 2 * second },
  liftPct: { least: 0, everyMs: 2 * second },
  openPct: { least: 0, everyMs: 2 * second },
};

/** A device without changes reports this often, to show that it is alive. */
const heartbeatMs = 1_800_000;

interface Said {
  readonly value: unknown;
  readonly at: number;
}

/** Decides what one device reports next, from what it reported before. */
export class Reporting {
  readonly #said = new Map<string, Said>();
  #saidAt = -Infinity;

  /**
   * Returns the attributes to report, or undefined. When one is worth a report, all other changes go along.
   * @param now simulated ms.
   */
  due(shown: Attributes, now: number): Attributes | undefined {
    const entries = Object.entries(shown);
    const isHeartbeat = now - this.#saidAt >= heartbeatMs;
    if (!isHeartbeat && !entries.some(([name, value]) => this.#isDue(name, value, now))) return undefined;
    const isNews = ([name, value]: [string, unknown]): boolean =>
      isHeartbeat || isMomentary(name) || this.#said.get(name)?.value !== value;
    return this.#say(entries.filter(isNews), now);
  }

  /** Returns all attributes, whatever was reported before, except momentary ones. */
  all(shown: Attributes, now: number): Attributes {
    return this.#say(
      Object.entries(shown).filter(([name]) => !isMomentary(name)),
      now,
    );
  }

  /** Returns what a command changed; a device reports that at once. */
  changed(shown: Attributes, now: number): Attributes | undefined {
    const news = Object.entries(shown).filter(([name, value]) => this.#said.get(name)?.value !== value);
    return news.length > 0 ? this.#say(news, now) : undefined;
  }

  #say(news: readonly [name: string, value: unknown][], now: number): Attributes {
    for (const [name, value] of news) this.#said.set(name, { value, at: now });
    this.#saidAt = now;
    return Object.fromEntries(news);
  }

  #isDue(name: string, value: unknown, now: number): boolean {
    if (isMomentary(name)) return true;
    const said = this.#said.get(name);
    if (!said || said.value === value) return said === undefined;
    const pace = paces[name];
    if (!pace || typeof value !== "number" || typeof said.value !== "number") return true;
    const least = Math.max(pace.least, (pace.share ?? 0) * Math.abs(said.value));
    return now - said.at >= pace.everyMs && Math.abs(value - said.value) >= least - 1e-9;
  }
}

/** Whether an attribute is a press or part of one: each press is reported, even when it repeats. */
function isMomentary(name: string): boolean {
  return attribute(name)?.momentary === true || name === "modifiers";
}
