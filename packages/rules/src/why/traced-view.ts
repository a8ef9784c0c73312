import type { AlarmKind, Device, PriceSlot, StoredRange } from "@ledge/model";
import type { AlarmSource } from "../machine/effect.ts";
import type { Change, LocalTime } from "../machine/view.ts";
import { View } from "../machine/view.ts";
import { Reads } from "./reads.ts";

type Active = ReturnType<View["active"]>;

/** A view that notes what is read. */
export class TracedView extends View {
  #reads = new Reads();

  constructor(...of: ConstructorParameters<typeof View>) {
    super(...of);
    const { now, each, change } = this;
    const [, template] = of;
    const shown = (name: string, get: () => unknown): void => {
      Object.defineProperty(this, name, { get, enumerable: true });
    };
    shown("now", () => this.#reads.note({ of: "now", name: "now", value: now }));
    if (each !== undefined) {
      const own = this.#watched(each, template.each);
      shown("each", () => own);
    }
    if (change !== undefined) {
      const own = this.#watchedChange(change);
      shown("change", () => own);
    }
  }

  /** Returns the result of `look` and notes in `reads` what it reads. */
  during<Result>(reads: Reads, look: () => Result): Result {
    const outer = this.#reads;
    this.#reads = reads;
    try {
      return look();
    } finally {
      this.#reads = outer;
    }
  }

  override devices(field: string): readonly Device[] {
    return super.devices(field).map((device) => this.#watched(device, field));
  }

  override device(id: string): Device | undefined {
    const device = super.device(id);
    return device && this.#watched(device);
  }

  override isRaised(alarm: AlarmKind, about?: AlarmSource): boolean {
    const value = super.isRaised(alarm, about);
    const device = about && this.device(about.id);
    return this.#reads.note({ of: "alarm", name: alarm, value, ...(device && { device }) }) === true;
  }

  override value(field: string): unknown {
    return this.#reads.note({ of: "setting", name: field, value: super.value(field) });
  }

  override active(field: string): Active {
    const active = super.active(field);
    const holds = active.length > 0;
    const isShown = this.#reads.note({ of: "times", name: field, value: holds });
    if (isShown === holds) return active;
    return isShown === true ? [{ index: 0, since: this.now }] : [];
  }

  override since(range: StoredRange): number | null {
    const since = super.since(range);
    this.#reads.note({ of: "times", name: "", value: since !== null });
    return since;
  }

  override get prices(): readonly PriceSlot[] {
    const prices = super.prices;
    const slot = prices.find(({ start, end }) => start <= this.now && this.now < end);
    this.#reads.note({ of: "price", name: "price", value: slot?.price ?? null });
    return prices;
  }

  override get local(): LocalTime {
    return this.localAt(this.now);
  }

  override seenAt(device: Device): number {
    const value = super.seenAt(device);
    return Number(this.#reads.note({ of: "state", name: "lastSeen", value, device }));
  }

  #watched(device: Device, field?: string): Device {
    const of = field === undefined ? {} : { field };
    const state = new Proxy(device.state, {
      get: (shown, name) => {
        const value: unknown = Reflect.get(shown, name);
        if (typeof name !== "string" || name === "toJSON") return value;
        return this.#reads.note({ of: "state", name, value, device, ...of });
      },
    });
    return { ...device, state };
  }

  #watchedChange(change: Change): Change {
    const { field, attribute } = change;
    const device = this.#watched(change.device, field);
    return new Proxy(change, {
      get: (given, name) => {
        if (name === "device") return device;
        const value: unknown = Reflect.get(given, name);
        if (name !== "value" && name !== "before" && name !== "isNews") return value;
        const what = name === "value" ? attribute : name;
        return this.#reads.note({ of: "change", name: what, value, device: change.device, field });
      },
    });
  }
}
