import type { AdapterHost, DeviceDescription, NativeId, Pairing } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Stray, StrayStep } from "./strays.ts";
import { strays } from "./strays.ts";

const storeKey = "kept strays";

export interface HomePairingOptions {
  readonly host: AdapterHost;
  /** Calls back after so long, unless the home stops before. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Every device that there is, strays among them. */
  readonly descriptions: readonly DeviceDescription[];
  /** A device is of the home from now on. */
  readonly joined: (device: DeviceDescription) => void;
}

/** A device that was of the home before. */
const member: Pick<Stray, "course"> = { course: [{ atMs: 0, status: "COMPLETE", known: true }] };

/** Which devices belong to the home: all but strays, until they are kept, and those that were let go. */
export class HomePairing implements Pairing {
  readonly #options: HomePairingOptions;
  readonly #byNative: ReadonlyMap<NativeId, DeviceDescription>;
  readonly #strays: ReadonlyMap<NativeId, Stray> = new Map(strays.map((stray) => [stray.row.native, stray]));
  readonly #members: Set<NativeId>;
  /** Found since the window opened, and what is still to become of each. */
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

  /** What was found stays found, but nothing more becomes of it. */
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
   * Somebody presses the button of a stray.
   * @throws AdapterError `refused` when none is found that has one.
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
