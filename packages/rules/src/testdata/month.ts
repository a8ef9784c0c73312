import assert from "node:assert/strict";
import type { Capability, DeviceClass, LoggedEvent } from "@ledge/model";
import type { Random, TestKernelOptions } from "@ledge/testkit";
import { imageOf, openTestKernel, seededRandom } from "@ledge/testkit";
import { filledIn, isSwitched, somethingShown } from "./filling.ts";
import { TestHouse } from "./house.ts";
import { catalogue } from "../templates/index.ts";

const minute = 60_000;
/** A step takes this long (ms), and up to twice that, so that timers of whole minutes do not end with one. */
const stepMs = 10 * minute;
const stepsPerDay = 96;

export interface MonthOf {
  readonly days: number;
  /** How often the process dies, at random steps. */
  readonly drops: number;
  readonly seed: number;
}

/** The result of a simulated month. */
export interface Month {
  readonly steps: number;
  readonly devices: number;
  readonly rules: number;
  readonly events: number;
  readonly commands: number;
  readonly drops: number;
  /** Commands that only one of the two homes gave: the one whose process died, or the other. */
  readonly differing: readonly string[];
  /** Commands that a device must not get twice, and got twice. */
  readonly twice: readonly string[];
  /** Whether a rebuild from the log alone gives the home's final state. */
  readonly isRebuilt: boolean;
  /** The rules that were stopped, with the reason. */
  readonly stopped: readonly string[];
}

const kinds: readonly (readonly [count: number, DeviceClass, readonly Capability[], object])[] = [
  [5, "LIGHT", ["ON_OFF", "BRIGHTNESS", "COLOR_TEMP"], { isOn: false, brightness: 0.5 }],
  [3, "POWER_SOCKET", ["ON_OFF", "ACTIVE_POWER"], { isOn: true, activePower: 20 }],
  [3, "MOTION", ["MOTION", "BATTERY_U"], { motion: false }],
  [3, "CONTACT", ["CONTACT"], { open: false }],
  [2, "MULTI_SENSOR", ["LUX", "TEMPERATURE", "HUMIDITY", "CO2"], { lux: 20, temperature: 20, humidity: 40 }],
  [2, "THERMOSTAT", ["THERMOSTAT", "CONTROL_TEMPERATURE", "TEMPERATURE"], { targetTemperature: 20 }],
  [1, "MULTI_SENSOR", ["MOISTURE"], { moisture: false }],
  [1, "SMOKE_ALARM", ["SMOKE"], { smoke: false }],
  [1, "POWER_SOCKET", ["ON_OFF", "VALVE"], { isOn: true }],
  [1, "ALARM_DEVICE", ["ALERT"], {}],
  [1, "REMOTE_CONTROL", ["REMOTE_CONTROL"], {}],
];

interface Told {
  readonly at: number;
  readonly what: string;
}

/** Simulates a home of about twenty devices, with a rule of every template that finds what it needs. */
export class Life {
  readonly house: TestHouse;
  readonly devices: readonly string[];
  readonly scenes: readonly string[];
  readonly #random: Random;
  #until: number;
  /** By device: each command, with its sender and time (ms). */
  readonly told = new Map<string, Told[]>();
  readonly stopped: string[] = [];
  events = 0;

  private constructor(
    house: TestHouse,
    devices: readonly string[],
    scenes: readonly string[],
    random: Random,
  ) {
    this.house = house;
    this.devices = devices;
    this.scenes = scenes;
    this.#random = random;
    this.#until = house.clock.now();
    this.#follow();
  }

  /** @param kernel options of the kernel, for one that is not in memory */
  static async begin(seed: number, kernel: TestKernelOptions = {}): Promise<Life> {
    const random = seededRandom(seed);
    let ids = 0;
    const newId = (): string => `id-${String(++ids).padStart(7, "0")}`;
    const house = await TestHouse.open({
      kernel: { newId, snapshotCommits: 500, ...kernel },
      unchecked: true,
    });
    const devices: string[] = [];
    for (const [count, type, capabilities, shown] of kinds) {
      for (let index = 0; index < count; index++) {
        const name = `${type} ${devices.length}`;
        devices.push(await house.addDevice(name, type, capabilities, shown as Record<string, unknown>));
      }
    }
    const lamps = devices.slice(0, 5);
    const night = { cronDef: { start: "0 22 * * *", stop: "30 6 * * *" } };
    const dim = { dim: { targetIds: lamps, state: { isOn: true, brightness: 0.1 } } };
    const bright = { bright: { targetIds: lamps.slice(2), state: { isOn: true, brightness: 1 } } };
    const scenes = [
      await house.accept({ type: "CMD_SCENE", name: "night", presets: dim, sceneTimes: [night] }),
      await house.accept({ type: "CMD_SCENE", name: "bright", presets: bright }),
    ];
    await addRules(house, devices, scenes, random);
    house.forget();
    return new Life(house, devices, scenes, random);
  }

  /**
   * Continues a simulation on the durable state of a process that ended.
   * @param at local time, as of TestHouse
   */
  static async goOn(seed: number, at: string, kernel: TestKernelOptions): Promise<Life> {
    const house = await TestHouse.reopen({ kernel, at, unchecked: true });
    const homes = [...house.kernel.all("device")].map(([id]) => id).toSorted();
    const scenes = [...house.kernel.all("scene")].map(([id]) => id).toSorted();
    return new Life(house, homes, scenes, seededRandom(seed));
  }

  /**
   * Runs one step and lets time pass.
   * @param drops how often the process dies after the step; `isUnderWay`: no device has got the last commands
   * by then
   */
  async step(drops = 0, isUnderWay = false): Promise<void> {
    const { house } = this;
    for (let count = this.#random(3); count >= 0; count--) {
      house.losesCommands = isUnderWay && count === 0;
      await this.#happen();
    }
    for (let drop = 0; drop < drops; drop++) await house.restart();
    // A restart takes a moment; with or without one, the next step comes at the same time.
    this.#until += stepMs + this.#random(stepMs);
    await this.#wait();
    this.#collect();
  }

  /** Lets time pass until the next step; on a disk each commit also takes real time. */
  async #wait(): Promise<void> {
    const { clock, kernel } = this.house;
    while (clock.now() < this.#until) {
      await clock.pass(Math.min(minute, this.#until - clock.now()));
      while (kernel.health.queued > 0) await clock.pass(0);
    }
  }

  async #happen(): Promise<void> {
    const { house } = this;
    const random = this.#random;
    const [pick, what, value] = [random(this.devices.length), random(20), random(2)];
    const device = house.device(this.devices[pick] ?? "");
    if (what === 0) {
      const id = this.scenes[value] ?? "";
      const isOn = house.kernel.get("scene", id)?.isOn === true;
      await house.submit({ type: isOn ? "CMD_SCENE_OFF" : "CMD_SCENE_ON", id }, "user:person");
    } else if (what < 4 && isSwitched(device)) {
      await house.use(device.id, { isOn: value === 0 });
    } else if (what === 4) {
      await house.report(device.id, { reachable: device.state["reachable"] === false });
    } else {
      await house.report(device.id, somethingShown(device, random));
    }
  }

  get commands(): number {
    return [...this.told.values()].reduce((sum, { length }) => sum + length, 0);
  }

  #follow(): void {
    const { house } = this;
    house.onIssued = ({ device, attributes, origin }, at) => {
      const of = this.told.get(device) ?? [];
      this.told.set(device, of);
      of.push({ at, what: `${house.name(device)} ${JSON.stringify(attributes)} ${origin}` });
    };
  }

  #collect(): void {
    const { house } = this;
    this.events += house.events.length;
    for (const event of house.events) {
      if (event.type !== "RuleStopped") continue;
      this.stopped.push(`${house.name(event.id)}: ${(event as LoggedEvent & { reason: string }).reason}`);
    }
    house.forget();
  }
}

async function addRules(
  house: TestHouse,
  devices: readonly string[],
  scenes: readonly string[],
  random: Random,
): Promise<void> {
  const known = devices.map((id) => house.device(id));
  for (const template of catalogue.templates) {
    const filled = template.internal ? undefined : filledIn(template, known, scenes, random);
    if (filled !== undefined) await house.addRule(template.configType, template.configType, filled);
  }
  // One rule with a scene and one by the clock.
  const [first, second] = [...house.kernel.all("rule")].map(([id]) => id);
  await house.accept({ type: "SET_RULE_ON", id: first, on: { scenes: scenes.slice(0, 1) } });
  const day = { cronDef: { start: "0 7 * * *", stop: "0 23 * * *" } };
  await house.accept({ type: "SET_RULE_ON", id: second, on: { timers: [day.cronDef] } });
}

/**
 * Simulates the same time twice, the second time with a process that dies again and again: at rest, or with
 * commands under way.
 */
export async function liveMonth(
  { days, drops, seed }: MonthOf,
  tell: (line: string) => void,
): Promise<Month> {
  const steps = days * stepsPerDay;
  const whole = await Life.begin(seed);
  for (let step = 0; step < steps; step++) await whole.step();
  await whole.house.close();
  tell(`${steps} steps, ${whole.commands} commands`);
  const dropped = await Life.begin(seed);
  const chance = seededRandom(seed + 1);
  let done = 0;
  for (let step = 0; step < steps; step++) {
    const due = Math.ceil((drops * (step + 1)) / steps) - done;
    // Every second time with commands under way, which the next process sends.
    await dropped.step(due, due > 0 && chance(2) === 0);
    done += due;
    if (done % 100 === 0 && due > 0) tell(`${done} drops`);
  }
  const { house } = dropped;
  const image = imageOf(house.hub);
  const rebuilt = openTestKernel({ log: house.hub.log.clone(), release: "another" });
  const isRebuilt = isSame(imageOf(rebuilt), image);
  await house.close();
  return {
    steps,
    devices: dropped.devices.length,
    rules: house.kernel.size("rule"),
    events: dropped.events,
    commands: dropped.commands,
    drops: done,
    differing: difference(whole, dropped),
    twice: house.impulses.filter((id, index, all) => all.indexOf(id) !== index),
    isRebuilt,
    stopped: dropped.stopped,
  };
}

function isSame(one: object, other: object): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns where devices got other commands, at another time, or from another sender. Commands under way when
 * a process dies arrive with the next process, and what follows from them a moment later; so times are
 * compared to the second, and the order of commands to different devices does not count.
 */
function difference(one: Life, other: Life): readonly string[] {
  const devices = new Set([...one.told.keys(), ...other.told.keys()]);
  return [...devices].flatMap((device) => {
    const [expected, actual] = [one.told.get(device) ?? [], other.told.get(device) ?? []];
    const length = Math.max(expected.length, actual.length);
    for (let index = 0; index < length; index++) {
      const [a, b] = [expected[index], actual[index]];
      if (a?.what === b?.what && Math.abs((a?.at ?? 0) - (b?.at ?? 0)) <= 1000) continue;
      return [`- ${a?.at} ${a?.what}`, `+ ${b?.at} ${b?.what}`];
    }
    return [];
  });
}
