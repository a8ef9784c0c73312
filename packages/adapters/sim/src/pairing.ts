import type { AdapterHost, DeviceDescription, NativeId, Pairing } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Stray, StrayStep } from "./strays.ts";
import { strays } from "./strays.ts";

const storeKey = "kept strays";

/** Options of `HomePairing`. */
export interface HomePairingOptions {
  readonly host: AdapterHost;
  /** Calls back after `ms`, unless the home stops before. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Every device that exists, strays included. */
  readonly descriptions: readonly DeviceDescription[];
  /** Called when a device joins the home. */
  readonly joined: (device: DeviceDescription) => void;
}

/** The course of a device that belonged to the home before. */
const member: Pick<Stray, "course"> = { course: [{ atMs: 0, status: "COMPLETE", known: true }] };

/**
 * Keeps track of the home's members: all devices except strays that were not kept and devices that were
 * forgotten.
 */
export class HomePairing implements Pairing {
  readonly #options: HomePairingOptions;
  readonly #byNative: ReadonlyMap<NativeId, DeviceDescription>;
  readonly #strays: ReadonlyMap<NativeId, Stray> = new Map(strays.map((stray) => [stray.row.native, stray]));
  readonly #members: Set<NativeId>;
  /** Devices found since the window opened, with the timers of their next steps. */
  readonly #found = new Map<NativeId, (() => void)[]>();
  readonly #gone = new Set<NativeId>();
  #cancelWindow: (() => void) | undefined;

  constructor(options: HomePairingOptions) {
    this.#options = options;
    this.#byNative = new Map(options.descriptions.map((device) => [device.native, device]));
    const kept = options.host.store.get(storeKey);
    const isKept = (native: NativeId): boolean => Array.isArray(kept) && kept.includes(native);
    this.#members = new Set(
      [...this.#byNative.keys()].filter((native) => !this.#strays.has(native) || isKept(native)),
    );
  }

  has(native: NativeId): boolean {
    return this.#members.has(native);
  }

  open(windowMs: number): Promise<void> {
    const isOpen = this.#cancelWindow !== undefined;
    this.#cancelWindow?.();
    this.#cancelWindow = this.#options.after(windowMs, () => void this.close());
    if (isOpen) return Promise.resolve();
    for (const native of this.#byNative.keys()) {
      if (this.#members.has(native)) continue;
      const stray = this.#strays.get(native) ?? member;
      if (stray.course !== undefined) this.#follow(native, stray.course);
    }
    return Promise.resolve();
  }

  /** Closes the window. Found devices stay found, but make no further progress. */
  close(): Promise<void> {
    this.#cancelWindow?.();
    this.#cancelWindow = undefined;
    for (const steps of this.#found.values()) for (const cancel of steps.splice(0)) cancel();
    return Promise.resolve();
  }

  async keep(native: NativeId): Promise<void> {
    const device = this.#byNative.get(native);
    if (device === undefined) throw new AdapterError("refused", `no device ${native}`);
    if (this.#gone.has(native)) throw new AdapterError("refused", `${device.name} has gone away`);
    this.#forgetFind(native);
    this.#members.add(native);
    await this.#save();
    this.#options.joined(device);
  }

  discard(native: NativeId): Promise<void> {
    this.#forgetFind(native);
    return Promise.resolve();
  }

  async forget(native: NativeId): Promise<void> {
    if (!this.#members.delete(native)) return;
    if (this.#strays.has(native)) await this.#save();
  }

  /**
   * Presses the button of a stray.
   * @throws AdapterError `refused` when no found device with a button has this id.
   */
  press(native: NativeId): void {
    const pressed = this.#strays.get(native)?.pressed;
    if (pressed === undefined || !this.#found.has(native))
      throw new AdapterError("refused", `native: no device ${native} waits for its button`);
    this.#follow(native, pressed);
  }

  #follow(native: NativeId, course: readonly StrayStep[]): void {
    this.#forgetFind(native);
    const steps: (() => void)[] = [];
    this.#found.set(native, steps);
    this.#gone.delete(native);
    for (const step of course) {
      if (step.atMs === 0) this.#take(native, step);
      else steps.push(this.#options.after(step.atMs, () => this.#take(native, step)));
    }
  }

  #take(native: NativeId, step: StrayStep): void {
    const { host } = this.#options;
    if ("lost" in step) {
      this.#forgetFind(native);
      this.#gone.add(native);
      host.lost(native);
      return;
    }
    const { status, known = false, actionRequired = false, help = null } = step;
    const description = known ? (this.#byNative.get(native) ?? null) : null;
    host.found({ native, description, status, actionRequired, help });
  }

  #forgetFind(native: NativeId): void {
    for (const cancel of this.#found.get(native) ?? []) cancel();
    this.#found.delete(native);
  }

  async #save(): Promise<void> {
    const kept = [...this.#members].filter((native) => this.#strays.has(native));
    await this.#options.host.store.put(storeKey, kept);
  }
}
