import { type AdapterClock, pause } from "@ledge/port";
import type { Dialect, Follower } from "./dialect.ts";
import { Refusal, UnknownKey } from "./fault.ts";
import type { BridgeHttp } from "./http.ts";
import type { Lamp, Wanted } from "./lamp.ts";
import { entriesIn } from "./reading.ts";
import type { Press, Thing } from "./sensor.ts";
import { type Heard, pressesIn, sensorsIn } from "./v1-sensors.ts";
import { bodyOf, errorIn, groupsIn, lampsIn } from "./v1.ts";

/** Scenes change rarely: they are read with every so many readings. */
const scenesEvery = 15;
const unknownKey = 1;
const internalError = 901;
/** A list of the first bridges has names alone; lamps are then asked one by one. */
const mostNamed = 63;

/** The first interface: it has no events, so it is read again and again. */
export class V1Dialect implements Dialect {
  readonly #http: BridgeHttp;
  readonly #key: string;
  readonly #pollMs: number;
  readonly #clock: AdapterClock;
  #scenes: unknown = {};
  #readings = 0;
  #heard: Heard | undefined;
  /** Presses that nobody was told of yet. */
  readonly #presses: Press[] = [];
  /** Ends the pause before the next reading. */
  #hurry = new AbortController();

  constructor(http: BridgeHttp, key: string, pollMs: number, clock: AdapterClock) {
    this.#http = http;
    this.#key = key;
    this.#pollMs = pollMs;
    this.#clock = clock;
  }

  async follow({ shown, pressed }: Follower, signal: AbortSignal): Promise<void> {
    // Who has pressed a button while nobody listened has waited for it in vain, and no longer does.
    this.#heard = undefined;
    this.#presses.length = 0;
    for (;;) {
      shown(await this.read(signal));
      for (const press of this.#presses.splice(0)) pressed(press);
      this.#hurry = new AbortController();
      await pause(this.#clock, this.#pollMs, AbortSignal.any([signal, this.#hurry.signal]));
      signal.throwIfAborted();
    }
  }

  async read(signal: AbortSignal): Promise<readonly Thing[]> {
    const lamps = lampsIn(await this.#whole("lights", signal));
    if (this.#readings % scenesEvery === 0) this.#scenes = await this.#get("scenes", signal).catch(ifMissing);
    this.#readings += 1;
    const groups = groupsIn(await this.#whole("groups", signal), this.#scenes, lamps);
    const sensors = await this.#get("sensors", signal).catch(ifMissing);
    const { heard, presses } = pressesIn(sensors, this.#heard);
    this.#heard = heard;
    this.#presses.push(...presses);
    return [...lamps, ...groups, ...sensorsIn(sensors)];
  }

  async set({ id, kind }: Lamp, wanted: Wanted, signal: AbortSignal): Promise<void> {
    await this.#put(`${id}/${kind === "group" ? "action" : "state"}`, bodyOf(wanted), signal);
    this.#hurry.abort();
  }

  async identify({ id }: Lamp, signal: AbortSignal): Promise<void> {
    await this.#put(`${id}/state`, { alert: "select" }, signal);
  }

  async #whole(kind: "lights" | "groups", signal: AbortSignal): Promise<unknown> {
    const list = await this.#get(kind, signal);
    const entries = entriesIn(list);
    const isWhole = entries.every(([, each]) => "state" in each || "action" in each);
    if (isWhole) return list;
    const whole: Record<string, unknown> = {};
    for (const [id] of entries.slice(0, mostNamed))
      whole[id] = await this.#get(`${kind}/${encodeURIComponent(id)}`, signal);
    return whole;
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    const { status, json } = await this.#http.ask({ path: this.#path(path), signal });
    checked(json);
    if (status !== 200) throw new Refusal(`the bridge answers ${status}`);
    return json;
  }

  async #put(path: string, body: object, signal: AbortSignal): Promise<void> {
    const { json } = await this.#http.ask({ method: "PUT", path: this.#path(path), body, signal });
    checked(json);
  }

  #path(path: string): string {
    return `/api/${this.#key}/${path}`;
  }
}

function checked(json: unknown): void {
  const error = errorIn(json);
  if (error === undefined) return;
  if (error.type === unknownKey) throw new UnknownKey(error.description);
  throw new Refusal(error.description, error.type === internalError);
}

/** The first bridges have no scenes and no sensors. */
function ifMissing(error: unknown): object {
  if (error instanceof UnknownKey || !(error instanceof Refusal)) throw error;
  return {};
}
