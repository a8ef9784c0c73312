import type { DeviceDescription, NativeId, Report } from '@ledge/port';
import type { Action, Attributes, LivePart } from './behaviour/behaviour.ts';
import type { DeviceRow } from './home.ts';
import type { House, Influence, RoomName } from './house.ts';
import { beginHouse, roomNames, stepHouse } from './house.ts';
import { inhabitants, stepPeople } from './people.ts';
import type { Random } from './random.ts';
import { seededBy } from './random.ts';
import { Reporting } from './reporting.ts';

export interface WorldOptions {
  readonly seed: number;
  /** Simulated time at which the home begins, ms since the epoch. */
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
}

/** The longest stretch of simulated time in which nothing but one step happens. */
const longestStepMs = 10_000;

/**
 * A home that behaves: people, weather, rooms and the devices in them. Deterministic: the same seed, beginning
 * and calls make the same reports. Its time goes on only by `step`.
 */
export class SimulatedWorld {
  readonly #devices: ReadonlyMap<NativeId, Device>;
  readonly #report: (report: Report) => void;
  readonly #houseRandom: Random;
  readonly #peopleRandom: Random;
  readonly #deadRadios = new Set<string>();
  #house: House;

  constructor({ seed, now, devices, report }: WorldOptions) {
    this.#report = report;
    this.#houseRandom = seededBy(seed, 'house');
    this.#peopleRandom = seededBy(seed, 'people');
    this.#house = beginHouse(now, inhabitants);
    this.#devices = new Map(devices.map((row) => [row.native, begun(row, seed)]));
  }

  /** Simulated time, ms since the epoch. */
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

  descriptions(): DeviceDescription[] {
    return [...this.#devices.values()].map(({ row }) => describe(row));
  }

  /** What the device shows now; empty for one that is not there. */
  shown(native: NativeId): Attributes {
    const device = this.#devices.get(native);
    return device ? show(device) : {};
  }

  /** Lets `ms` of simulated time go by, in steps that no behaviour is too coarse for. */
  step(ms: number): void {
    for (let left = ms; left > 0; left -= longestStepMs) this.#stepOnce(Math.min(left, longestStepMs));
  }

  /** The device does as it is told, and tells what that changed. It is not checked whether it can. */
  set(native: NativeId, wanted: Attributes): void {
    const device = this.#devices.get(native);
    if (!device) return;
    for (const part of device.parts) part.set(wanted, this.now);
    this.#say(device, device.reporting.changed(show(device), this.now));
  }

  /** Makes something happen at a device. */
  act(native: NativeId, action: Action): void {
    const device = this.#devices.get(native);
    if (!device) return;
    for (const part of device.parts) part.act(action, this.now);
    this.#say(device, device.reporting.due(show(device), this.now, false));
  }

  /** Holds attributes at values until they are given as null: then the device shows its own again. */
  hold(native: NativeId, attributes: Attributes): void {
    const device = this.#devices.get(native);
    if (!device) return;
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null) device.held.delete(name);
      else device.held.set(name, value);
    }
    this.#say(device, device.reporting.changed(show(device), this.now));
  }

  /** Pulls or puts in the plug of a device, or of a whole radio by its name. */
  plug(name: string, isIn: boolean): void {
    const before = this.natives.filter((native) => this.isReachable(native));
    const device = this.#devices.get(name);
    if (device) device.plugged = isIn;
    else if (isIn) this.#deadRadios.delete(name);
    else this.#deadRadios.add(name);
    for (const [native, other] of this.#devices) {
      const isReachable = this.isReachable(native);
      if (isReachable && !before.includes(native)) this.refresh(native);
      if (!isReachable && before.includes(native)) this.#report({ native, attributes: { reachable: false } });
    }
  }

  /** Has a device report everything. */
  refresh(native: NativeId): void {
    const device = this.#devices.get(native);
    if (!device) return;
    const reachable = this.isReachable(native);
    const all = device.reporting.due(show(device), this.now, true);
    this.#report({ native, attributes: { reachable, ...all } });
  }

  /** States that outlive the home: those of devices that take commands or count. */
  keep(): Record<NativeId, object[]> {
    return Object.fromEntries([...this.#devices].map(([native, { parts }]) => [native, parts.map((part) => part.keep())]));
  }

  /** Takes kept states where they still fit. */
  restore(kept: Readonly<Record<NativeId, unknown>>): void {
    for (const [native, states] of Object.entries(kept)) {
      if (!Array.isArray(states)) continue;
      for (const [index, part] of (this.#devices.get(native)?.parts ?? []).entries()) part.restore(states[index]);
    }
  }

  #stepOnce(ms: number): void {
    const peopled = stepPeople(this.#house, ms, this.#peopleRandom);
    this.#house = stepHouse(peopled, ms, this.#influences(), this.#houseRandom);
    for (const device of this.#devices.values()) {
      const { row, parts, random } = device;
      let own: Attributes = {};
      for (const part of parts) {
        part.step({ house: this.#house, air: this.#house.air[row.place], own, ms, random });
        own = { ...own, ...part.show() };
      }
      this.#say(device, device.reporting.due(show(device), this.now, false));
    }
  }

  #influences(): Record<RoomName, Influence> {
    const influences = Object.fromEntries(
      roomNames.map((room) => [room, { heating: 0, lampLux: 0, windowOpen: false }]),
    ) as Record<RoomName, { heating: number; lampLux: number; windowOpen: boolean }>;
    const heated = new Set<string>();
    for (const { row, parts } of this.#devices.values()) {
      if (row.place === 'outdoors') continue;
      const room = influences[row.place];
      const shown: Attributes = Object.assign({}, ...parts.map((part) => part.show()));
      if (row.class === 'LIGHT' && shown['isOn'] === true) room.lampLux += 250 * Number(shown['brightness'] ?? 1);
      if (row.class === 'CONTACT' && shown['open'] === true) room.windowOpen = true;
      if (typeof shown['heatingDemand'] === 'number') {
        room.heating = Math.max(room.heating, shown['heatingDemand']);
        heated.add(row.place);
      }
    }
    // Rooms without a thermostat have an old radiator that does its best.
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
  return { row, parts, random, reporting: new Reporting(), held: new Map(), plugged: row.unplugged !== true };
}

function show({ parts, held }: Device): Attributes {
  return Object.assign({}, ...parts.map((part) => part.show()), Object.fromEntries(held)) as Attributes;
}

function describe({ native, radio, class: deviceClass, capabilities, name, model, extras }: DeviceRow): DeviceDescription {
  const known = { native, radio, class: deviceClass, capabilities: ['DEVICE', ...capabilities], name, model } as const;
  return { ...known, manufacturer: 'Ledge', ...(extras && { extras }) };
}
