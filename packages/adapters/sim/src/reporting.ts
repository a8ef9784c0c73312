import { attribute } from "@ledge/model";
import type { Attributes } from "./behaviour/behaviour.ts";

/** When a level is worth a report of its own: moved by so much, and not sooner than so long after the last. */
interface Pace {
  /** Part of the last reported value; with `least` as its floor. */
  readonly share?: number;
  readonly least: number;
  readonly everyMs: number;
}

const second = 1000;
const watts: Pace = { share: 0.01, least: 0.5, everyMs: 5 * second };

/** What is not listed is reported whenever it changes. */
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

/** A device that has nothing to say says so this often, that it lives. */
const heartbeatMs = 1_800_000;

interface Said {
  readonly value: unknown;
  readonly at: number;
}

/** What one device said last, and what it has to say next. */
export class Reporting {
  readonly #said = new Map<string, Said>();
  #saidAt = -Infinity;

  /**
   * The attributes to report, or undefined. When one is worth it, every other that changed goes along.
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

  /** Everything, whatever was said before; what happened only once is not said again. */
  all(shown: Attributes, now: number): Attributes {
    return this.#say(
      Object.entries(shown).filter(([name]) => !isMomentary(name)),
      now,
    );
  }

  /** After a command the device tells at once what it changed. */
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

/** A press and what belongs to it: news each time, even when it is the same again. */
function isMomentary(name: string): boolean {
  return attribute(name)?.momentary === true || name === "modifiers";
}
