import type { DeviceDescription } from "@ledge/port";
import type { Source, SourceHost, Values } from "../in/source.ts";

/** What a source has told, for tests of one without a broker. */
export class Heard implements SourceHost {
  readonly announced = new Map<string, DeviceDescription>();
  readonly values = new Map<string, Values>();
  readonly reachable = new Map<string, boolean>();
  readonly reports: (readonly [native: string, attributes: Values])[] = [];
  readonly listening = new Set<string>();

  announce(device: DeviceDescription): void {
    this.announced.set(device.native, device);
  }
  report(native: string, attributes: Values): void {
    this.reports.push([native, attributes]);
    this.values.set(native, { ...this.before(native), ...attributes });
  }
  reach(native: string, isReachable: boolean): void {
    this.reachable.set(native, isReachable);
  }
  gone(native: string): void {
    this.reachable.set(native, false);
  }
  known(): Iterable<string> {
    return this.announced.keys();
  }
  has(native: string): boolean {
    return this.announced.has(native);
  }
  before(native: string): Values {
    return this.values.get(native) ?? {};
  }
  listen(topics: readonly string[]): void {
    for (const topic of topics) this.listening.add(topic);
  }
  leave(topics: readonly string[]): void {
    for (const topic of topics) this.listening.delete(topic);
  }
}

/** Lets a source hear a message, which is JSON unless it is a text. */
export function say(source: Source, topic: string, payload: unknown): void {
  source.heard(topic, Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)));
}
