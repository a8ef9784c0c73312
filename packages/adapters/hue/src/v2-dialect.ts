import type { IncomingMessage } from "node:http";
import { type AdapterClock, pause } from "@ledge/port";
import type { Dialect, Follower } from "./dialect.ts";
import { EventStream } from "./event-stream.ts";
import { Refusal, UnknownKey } from "./fault.ts";
import { BridgeFault, type BridgeHttp } from "./http.ts";
import type { Lamp, Wanted } from "./lamp.ts";
import type { Thing } from "./sensor.ts";
import { pressesIn, sensorsIn } from "./v2-sensors.ts";
import { applyEvents, bodyOf, errorIn, type Found, foundIn, type Resources, resourcesIn } from "./v2.ts";

/** The stream may be silent for hours: so often the hub asks whether the bridge is still there. */
const heartbeatMs = 20_000;
/** Longer than the heartbeat, so that it alone decides. */
const streamIdleMs = 3_600_000;
const busyStatuses: ReadonlySet<number> = new Set([429, 503]);

/** The second interface: it tells of changes by itself. */
export class V2Dialect implements Dialect {
  readonly #http: BridgeHttp;
  readonly #key: string;
  readonly #clock: AdapterClock;
  #resources: Resources = new Map();
  #found: readonly Found[] = [];

  constructor(http: BridgeHttp, key: string, clock: AdapterClock) {
    this.#http = http;
    this.#key = key;
    this.#clock = clock;
  }

  async follow(follower: Follower, signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const both = AbortSignal.any([signal, ending.signal]);
    // The stream comes first, so that nothing is missed between.
    const stream = await this.#http.open({
      path: "/eventstream/clip/v2",
      key: this.#key,
      timeoutMs: streamIdleMs,
      signal: both,
    });
    if (stream.statusCode !== 200) {
      stream.destroy();
      throw fromStatus(stream.statusCode ?? 0, "the event stream is refused");
    }
    try {
      follower.shown(await this.read(signal));
      await Promise.race([this.#consume(stream, follower, both), this.#beat(both)]);
    } finally {
      ending.abort();
      stream.destroy();
    }
    throw new BridgeFault("the bridge has ended the event stream");
  }

  async read(signal: AbortSignal): Promise<readonly Thing[]> {
    const { status, json } = await this.#http.ask({ path: "/clip/v2/resource", key: this.#key, signal });
    if (status !== 200) throw fromStatus(status, errorIn(json));
    return this.#take(resourcesIn(json));
  }

  async set(lamp: Lamp, { scene, ...wanted }: Wanted, signal: AbortSignal): Promise<void> {
    if (scene !== undefined) await this.#put(`scene/${scene}`, { recall: { action: "active" } }, signal);
    const body = bodyOf(wanted);
    if (scene === undefined || Object.keys(body).length > 0)
      await this.#put(this.#pathOf(lamp), body, signal);
  }

  async identify(lamp: Lamp, signal: AbortSignal): Promise<void> {
    await this.#put(this.#pathOf(lamp), { alert: { action: "breathe" } }, signal);
  }

  async #consume(stream: IncomingMessage, { shown, pressed }: Follower, signal: AbortSignal): Promise<void> {
    const events = new EventStream();
    const decoder = new TextDecoder();
    for await (const chunk of stream as AsyncIterable<Buffer>)
      for (const message of events.push(decoder.decode(chunk, { stream: true }))) {
        const presses = pressesIn(this.#resources, message);
        const next = applyEvents(this.#resources, message);
        shown(next === undefined ? await this.read(signal) : this.#take(next));
        for (const press of presses) pressed(press);
      }
  }

  async #beat(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#clock, heartbeatMs, signal);
      signal.throwIfAborted();
      const { status, json } = await this.#http.ask({
        path: "/clip/v2/resource/bridge",
        key: this.#key,
        signal,
      });
      if (status !== 200) throw fromStatus(status, errorIn(json));
    }
  }

  #take(resources: Resources): readonly Thing[] {
    this.#resources = resources;
    this.#found = foundIn(resources);
    return [...this.#found.map(({ lamp }) => lamp), ...sensorsIn(resources)];
  }

  #pathOf({ id }: Lamp): string {
    const found = this.#found.find(({ lamp }) => lamp.id === id);
    if (found === undefined) throw new Refusal(`the bridge has no ${id}`);
    return found.path;
  }

  async #put(path: string, body: object, signal: AbortSignal): Promise<void> {
    const { status, json } = await this.#http.ask({
      method: "PUT",
      path: `/clip/v2/resource/${path}`,
      key: this.#key,
      body,
      signal,
    });
    // 207: one of several values was not taken.
    if (status !== 200) throw fromStatus(status, errorIn(json));
  }
}

function fromStatus(status: number, reason: string | undefined): Error {
  const said = reason ?? `the bridge answers ${status}`;
  if (status === 401 || status === 403) return new UnknownKey(said);
  return new Refusal(said, busyStatuses.has(status));
}
