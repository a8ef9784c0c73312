import type { AdapterHost, NativeId } from "@ledge/port";
import { type Coded, descriptionOf, type Heard, restOf } from "./device.ts";
import type { Place } from "./place.ts";
import type { Values } from "./signal.ts";

export interface AttachedOptions {
  readonly host: AdapterHost;
  readonly native: NativeId;
  readonly place: Place;
  readonly device: Coded;
  /** Called when the device has shown something new of itself. */
  readonly onGrown: (device: Coded) => void;
}

/** A remote sends a press several times, and a receiver may understand each. */
const sameKeyMs = 400;

/** A code that is a device of the hub: reports what is heard of it. */
export class Attached {
  readonly native: NativeId;
  readonly place: Place;
  readonly #options: AttachedOptions;
  #device: Coded;
  /** What was last reported, for whoever asks: the device itself cannot be asked. */
  #last: Values = {};
  #heardAt: number;
  #isReachable: boolean | undefined;
  #key: { readonly button: number; readonly at: number } | undefined;
  readonly #rests = new Map<string, () => void>();

  constructor(options: AttachedOptions) {
    this.#options = options;
    this.native = options.native;
    this.place = options.place;
    this.#device = options.device;
    this.#heardAt = options.host.clock.now();
    this.announce();
  }

  get device(): Coded {
    return this.#device;
  }

  announce(): void {
    this.#options.host.announce(descriptionOf(this.place.name, this.#device));
  }

  take({ device, values, button }: Heard): void {
    const { host, onGrown } = this.#options;
    const now = host.clock.now();
    this.#heardAt = now;
    if (device !== this.#device) {
      this.#device = device;
      this.announce();
      onGrown(device);
    }
    if (button === undefined) return this.show(values);
    const isSame = this.#key?.button === button && Math.abs(now - this.#key.at) < sameKeyMs;
    this.#key = { button, at: now };
    this.show(values);
    if (!isSame) host.report({ native: this.native, attributes: { button, modifiers: [] } });
  }

  /** Reports values. */
  show(values: Values): void {
    this.#isReachable = true;
    this.#last = { ...this.#last, ...values };
    this.#options.host.report({ native: this.native, attributes: { reachable: true, ...values } });
    for (const [name, value] of Object.entries(values)) this.#restLater(name, value);
  }

  /** Reports again what was last known. */
  repeat(): void {
    this.#options.host.report({ native: this.native, attributes: { reachable: true, ...this.#last } });
  }

  /** The place has come or gone. A sensor is back when it is heard. */
  placeChanged(isUp: boolean): void {
    if (!isUp) this.#reach(false);
    else if (this.#device.kind !== "sensor") this.#reach(true);
  }

  /** Notices a sensor that has fallen silent. Others speak only when something happens. */
  look(now: number, silentAfterMs: number): void {
    if (this.#device.kind === "sensor" && now - this.#heardAt > silentAfterMs) this.#reach(false);
  }

  stop(): void {
    for (const cancel of this.#rests.values()) cancel();
    this.#rests.clear();
  }

  #reach(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.#options.host.report({ native: this.native, attributes: { reachable: isReachable } });
  }

  #restLater(name: string, value: Values[string]): void {
    const { clock } = this.#options.host;
    this.#rests.get(name)?.();
    this.#rests.delete(name);
    const ms = value === true ? restOf(this.#device, name) : undefined;
    if (ms === undefined) return;
    const cancel = clock.after(ms, () => {
      this.#rests.delete(name);
      this.show({ [name]: false });
    });
    this.#rests.set(name, cancel);
  }
}
