import type { Capability } from "@ledge/model";
import { extraAttribute } from "@ledge/model";
import type { DeviceDescription, NativeId, Report } from "@ledge/port";
import type { Action, Attributes, LivePart } from "./behaviour/behaviour.ts";
import type { DeviceRow } from "./home.ts";
import type { House, Influence, RoomName } from "./house.ts";
import { beginHouse, roomNames, stepHouse } from "./house.ts";
import { inhabitants, stepPeople } from "./people.ts";
import type { Random } from "./random.ts";
import { seededBy } from "./random.ts";
import { Reporting } from "./reporting.ts";

/** Options of `SimulatedWorld`. */
export interface WorldOptions {
  readonly seed: number;
  /** The simulated time at which the home starts, ms since the epoch. */
  readonly now: number;
  readonly devices: readonly DeviceRow[];
  readonly report: (report: Report) => void;
}

interface Device {
  readonly row: DeviceRow;
  readonly parts: readonly LivePart[];
  readonly random: Random;
  readonly reporting: Reporting;
  /** Attributes that a script holds, whatever the device senses. */
  readonly held: Map<string, unknown>;
  plugged: boolean;
  /** Its attributes as of its last step or command. */
  shown: Attributes;
}

/** The longest stretch of simulated time for a single step. */
const longestStepMs = 10_000;
const brightestLux = 1000;

/**
 * A home that behaves: people, weather, rooms and devices. Deterministic: the same seed, start and calls make
 * the same reports. Only `step` advances its time.
 */
export class SimulatedWorld {
  readonly #devices: ReadonlyMap<NativeId, Device>;
  readonly #report: (report: Report) => void;
  readonly #houseRandom: Random;
  readonly #peopleRandom: Random;
  readonly #deadRadios = new Set<string>();
  /** Radios that treat their devices as always reachable. */
  readonly #trustingRadios = new Set<string>();
  #house: House;

  constructor({ seed, now, devices, report }: WorldOptions) {
    this.#report = report;
    this.#houseRandom = seededBy(seed, "house");
    this.#peopleRandom = seededBy(seed, "people");
    this.#house = beginHouse(now, inhabitants);
    this.#devices = new Map(devices.map((row) => [row.native, begun(row, seed)]));
    // The first attributes of the devices must already be correct.
    this.#house = stepHouse(
      stepPeople(this.#house, 0, this.#peopleRandom),
      0,
      this.#influences(),
      this.#houseRandom,
    );
    for (const device of this.#devices.values()) this.#stepDevice(device, 0);
  }

  /** The simulated time, ms since the epoch. */
  get now(): number {
    return this.#house.now;
  }

  get natives(): NativeId[] {
    return [...this.#devices.keys()];
  }

  has(native: NativeId): boolean {
    return this.#devices.has(native);
  }

  isReachable(native: NativeId): boolean {
    const device = this.#devices.get(native);
    return device !== undefined && device.plugged && !this.#deadRadios.has(device.row.radio);
  }

  radioOf(native: NativeId): string | undefined {
    return this.#devices.get(native)?.row.radio;
  }

  descriptions(): DeviceDescription[] {
    return [...this.#devices.values()].map(({ row }) => describe(row));
  }

  capabilities(native: NativeId): readonly Capability[] {
    return this.#devices.get(native)?.row.capabilities ?? [];
  }

  /** Whether a command may set an extra of a device. */
  takesExtra(native: NativeId, name: string): boolean {
    const extras = this.#devices.get(native)?.row.stateExtras ?? [];
    return extras.some((extra) => extra.writable && extraAttribute(extra.name) === name);
  }

  /** Returns the device's current attributes; empty for an unknown device. */
  shown(native: NativeId): Attributes {
    const device = this.#devices.get(native);
    return device?.shown ?? {};
  }

  /** Advances simulated time by `ms`, in steps short enough for every behaviour. */
  step(ms: number): void {
    for (let left = ms; left > 0; left -= longestStepMs) this.#stepOnce(Math.min(left, longestStepMs));
  }

  /** Sets attributes of a device and reports the changes. Does not check whether the device supports them. */
  set(native: NativeId, wanted: Attributes): void {
    const device = this.#devices.get(native);
    if (!device) return;
    for (const part of device.parts) part.set(wanted, this.now);
    look(device);
    this.#say(device, device.reporting.changed(device.shown, this.now));
  }

  /** Makes something happen at a device. */
  act(native: NativeId, action: Action): void {
    const device = this.#devices.get(native);
    if (!device) return;
    for (const part of device.parts) part.act(action, this.now);
    look(device);
    this.#say(device, device.reporting.due(device.shown, this.now));
  }

  /** Holds attributes at values; null releases one to the device's own value. */
  hold(native: NativeId, attributes: Attributes): void {
    const device = this.#devices.get(native);
    if (!device) return;
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null) device.held.delete(name);
      else device.held.set(name, value);
    }
    look(device);
    this.#say(device, device.reporting.changed(device.shown, this.now));
  }

  /** Makes a radio report its devices as always reachable, or ends that. */
  trust(radio: string, isTrusted: boolean): void {
    if (this.#trustingRadios.has(radio) === isTrusted) return;
    if (isTrusted) this.#trustingRadios.add(radio);
    else this.#trustingRadios.delete(radio);
    for (const [native, { row }] of this.#devices) {
      if (row.radio !== radio || this.isReachable(native)) continue;
      this.#report({ native, attributes: { reachable: isTrusted } });
    }
  }

  /** Unplugs or plugs in a device, or a whole radio by its name. */
  plug(name: string, isIn: boolean): void {
    const before = new Set(this.natives.filter((native) => this.isReachable(native)));
    const device = this.#devices.get(name);
    if (device) device.plugged = isIn;
    else if (isIn) this.#deadRadios.delete(name);
    else this.#deadRadios.add(name);
    for (const native of this.natives) {
      const isReachable = this.isReachable(native);
      if (isReachable && !before.has(native)) this.refresh(native);
      if (!isReachable && before.has(native) && !this.#isTrusted(native))
        this.#report({ native, attributes: { reachable: false } });
    }
  }

  #isTrusted(native: NativeId): boolean {
    return this.#trustingRadios.has(this.#devices.get(native)?.row.radio ?? "");
  }

  /** Makes a device report everything. */
  refresh(native: NativeId): void {
    const device = this.#devices.get(native);
    if (!device) return;
    const reachable = this.isReachable(native) || this.#isTrusted(native);
    const all = device.reporting.all(device.shown, this.now);
    this.#report({ native, attributes: { reachable, ...all } });
  }

  /** The devices whose state changes without commands: meters. */
  get counting(): NativeId[] {
    return [...this.#devices]
      .filter(([, { parts }]) => parts.some(({ counts }) => counts))
      .map(([native]) => native);
  }

  /** Returns the device's state as plain data: one entry per part, null for a part with nothing to keep. */
  keep(native: NativeId): readonly (object | null)[] {
    return this.#devices.get(native)?.parts.map((part) => part.keep()) ?? [];
  }

  /** Restores a kept state where it still fits. */
  restore(native: NativeId, kept: unknown): void {
    const device = this.#devices.get(native);
    if (!device || !Array.isArray(kept)) return;
    for (const [index, part] of device.parts.entries()) part.restore(kept[index]);
    look(device);
  }

  #stepOnce(ms: number): void {
    const peopled = stepPeople(this.#house, ms, this.#peopleRandom);
    this.#house = stepHouse(peopled, ms, this.#influences(), this.#houseRandom);
    for (const device of this.#devices.values()) {
      this.#stepDevice(device, ms);
      this.#say(device, device.reporting.due(device.shown, this.now));
    }
  }

  #stepDevice(device: Device, ms: number): void {
    const { row, parts, random, held } = device;
    const own: Record<string, unknown> = {};
    for (const part of parts) {
      part.step({ house: this.#house, air: this.#house.air[row.place], own, ms, random });
      Object.assign(own, part.show());
    }
    for (const [name, value] of held) own[name] = value;
    device.shown = own;
  }

  #influences(): Record<RoomName, Influence> {
    const influences = Object.fromEntries(
      roomNames.map((room) => [room, { heating: 0, lampLux: 0, windowOpen: false }]),
    ) as Record<RoomName, { heating: number; lampLux: number; windowOpen: boolean }>;
    const heated = new Set<string>();
    for (const device of this.#devices.values()) {
      const { row, shown } = device;
      if (row.place === "outdoors") continue;
      const room = influences[row.place];
      if (row.class === "LIGHT" && shown["isOn"] === true) {
        room.lampLux = Math.min(brightestLux, room.lampLux + 250 * Number(shown["brightness"] ?? 1));
      }
      if (row.class === "CONTACT" && shown["open"] === true) room.windowOpen = true;
      if (typeof shown["heatingDemand"] === "number") {
        room.heating = Math.max(room.heating, shown["heatingDemand"]);
        heated.add(row.place);
      }
    }
    // Rooms without a thermostat have a plain radiator with a simple control.
    for (const room of roomNames) {
      if (!heated.has(room)) influences[room].heating = this.#house.air[room].temperature < 21 ? 0.8 : 0;
    }
    return influences;
  }

  #say(device: Device, attributes: Attributes | undefined): void {
    const { native } = device.row;
    if (attributes && this.isReachable(native)) this.#report({ native, attributes });
  }
}

function begun(row: DeviceRow, seed: number): Device {
  const random = seededBy(seed, row.native);
  const parts = row.parts.map((part) => part(random));
  const plugged = row.unplugged !== true;
  return { row, parts, random, reporting: new Reporting(), held: new Map(), plugged, shown: {} };
}

/** Updates the device's attributes after a change between two steps. */
function look(device: Device): void {
  const shown: Record<string, unknown> = {};
  for (const part of device.parts) Object.assign(shown, part.show());
  for (const [name, value] of device.held) shown[name] = value;
  device.shown = shown;
}

function describe({
  native,
  radio,
  class: deviceClass,
  capabilities,
  name,
  model,
  extras,
  stateExtras,
}: DeviceRow): DeviceDescription {
  const known = {
    native,
    radio,
    class: deviceClass,
    capabilities: ["DEVICE", ...capabilities],
    name,
    model,
  } as const;
  return { ...known, manufacturer: "Ledge", ...(extras && { extras }), ...(stateExtras && { stateExtras }) };
}
