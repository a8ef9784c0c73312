import type { LoggedEvent } from "@ledge/model";
import type { Random } from "@ledge/testkit";
import { seededRandom } from "@ledge/testkit";
import { clock, daily } from "../schedule/daily.ts";
import { TestHouse } from "../testdata/house.ts";

const minute = 60_000;

/** The true root of a chain of causes: what the simulation did, and to which object. */
export interface Root {
  readonly by: "sensor" | "hand" | "person" | "clock";
  /** The device, scene or rule. */
  readonly object: string;
  /** When (ms). */
  readonly at: number;
}

/** A change of a device, with its true cause. */
export interface Expected {
  readonly device: string;
  readonly attribute: string;
  readonly value: unknown;
  /** When it was published (ms). */
  readonly at: number;
  readonly root: Root;
  /** The rules on the way, nearest first; empty when no rule took part. */
  readonly rules: readonly string[];
  /** Whether the rule can go on forever without a new trigger. */
  readonly cycles: boolean;
}

/** How devices are connected to rules: from this the simulation knows which rule changes a device. */
interface Wire {
  readonly rule: string;
  /** The devices that trigger the rule, and the device that it changes. */
  readonly sensor: string;
  readonly cycles: boolean;
}

/**
 * A home in which each device can be changed by only one rule. The simulation puts each change down to its
 * own last action, or, while it does nothing, to the last trigger of the rule that is wired to the device; it
 * never consults the log.
 */
export class Causes {
  readonly house: TestHouse;
  readonly expected: Expected[] = [];
  readonly #random: Random;
  /** The rule that changes each device. */
  readonly #wires = new Map<string, Wire>();
  /** The last trigger of each rule. */
  readonly #setOff = new Map<string, Root & { readonly rules: readonly string[] }>();
  readonly #sensors: {
    readonly id: string;
    readonly show: (random: Random) => Readonly<Record<string, unknown>>;
  }[] = [];
  readonly #used: string[] = [];
  readonly #scenes: { readonly id: string; readonly lamp: string }[] = [];
  readonly #scheduled = new Map<string, string>();
  /** What the simulation is doing; undefined while only time passes. */
  #doing: Root | undefined;

  private constructor(house: TestHouse, seed: number) {
    this.house = house;
    this.#random = seededRandom(seed);
  }

  static async begin(seed: number): Promise<Causes> {
    let ids = 0;
    const newId = (): string => `id-${String(++ids).padStart(7, "0")}`;
    const house = await TestHouse.open({ kernel: { newId }, unchecked: true });
    const causes = new Causes(house, seed);
    await causes.#build();
    causes.#listen();
    return causes;
  }

  /** Does something at random, or nothing, and then lets time pass. */
  async step(): Promise<void> {
    const random = this.#random;
    const what = random(10);
    if (what < 6) {
      const { id, show } = this.#sensors[random(this.#sensors.length)] ?? { id: "", show: () => ({}) };
      await this.#do({ by: "sensor", object: id }, () => this.house.report(id, show(random)));
    } else if (what < 8) {
      const id = this.#used[random(this.#used.length)] ?? "";
      const state = { isOn: random(2) === 0 };
      if (random(2) === 0) await this.#do({ by: "person", object: id }, () => this.house.use(id, state));
      else await this.#do({ by: "hand", object: id }, () => this.house.report(id, state));
    } else if (what === 8) {
      const { id } = this.#scenes[random(this.#scenes.length)] ?? { id: "" };
      const isOn = this.house.kernel.get("scene", id)?.isOn === true;
      const command = { type: isOn ? "CMD_SCENE_OFF" : "CMD_SCENE_ON", id };
      await this.#do({ by: "person", object: id }, () => this.house.submit(command, "user:person"));
    }
    const until = this.house.clock.now() + (1 + random(30)) * minute;
    while (this.house.clock.now() < until) await this.house.clock.pass(minute);
  }

  async #do(root: Omit<Root, "at">, act: () => Promise<void>): Promise<void> {
    this.#doing = { ...root, at: this.house.clock.now() };
    await act();
    // What follows at once belongs to this action, chains of rules included.
    await this.house.clock.pass(200);
    this.#doing = undefined;
  }

  #listen(): void {
    this.house.kernel.subscribe({
      published: ({ timestamp, events }) => {
        for (const event of events) if (event.type === "DeviceReported") this.#note(event, timestamp);
      },
    });
  }

  /** Only the wires tell which rules are on the way. */
  #note(event: LoggedEvent, at: number): void {
    const { id: device, attributes } = event as LoggedEvent & {
      attributes: Readonly<Record<string, unknown>>;
    };
    for (const attribute of ["isOn", "targetTemperature"]) {
      if (!Object.hasOwn(attributes, attribute)) continue;
      const found = this.#putDown(device, at);
      if (found === undefined) continue;
      const { rules, ...root } = found;
      this.expected.push({
        device,
        attribute,
        value: attributes[attribute],
        at,
        root,
        rules,
        cycles: this.#wires.get(device)?.cycles === true,
      });
    }
    // A device triggers the rules that listen to it.
    for (const { rule, sensor } of this.#wires.values()) {
      if (sensor !== device) continue;
      const own = this.#putDown(device, at) ?? { by: "sensor", object: device, at, rules: [] };
      this.#setOff.set(rule, own);
    }
  }

  #putDown(device: string, at: number): (Root & { readonly rules: readonly string[] }) | undefined {
    const wire = this.#wires.get(device);
    const doing = this.#doing;
    if (doing?.object === device) return { ...doing, rules: [] };
    if (doing !== undefined && this.#scenes.some(({ id, lamp }) => id === doing.object && lamp === device))
      return { ...doing, rules: [] };
    const scheduled = this.#scheduled.get(device);
    if (scheduled !== undefined) return { by: "clock", object: scheduled, at, rules: [scheduled] };
    if (wire === undefined) return undefined;
    const { rule } = wire;
    const before = this.#setOff.get(rule);
    return before && { ...before, rules: [rule, ...before.rules] };
  }

  async #build(): Promise<void> {
    const { house } = this;
    const sensor = async (
      name: string,
      type: "MOTION" | "CONTACT" | "MULTI_SENSOR",
      capability: "MOTION" | "CONTACT" | "LUX" | "TEMPERATURE" | "HUMIDITY",
      shown: Readonly<Record<string, unknown>>,
      show: (random: Random) => Readonly<Record<string, unknown>>,
    ): Promise<string> => {
      const id = await house.addDevice(name, type, [capability], shown);
      this.#sensors.push({ id, show });
      return id;
    };
    const wire = (device: string, rule: string, by: string, cycles = false): void => {
      this.#wires.set(device, { rule, sensor: by, cycles });
    };
    for (const index of [0, 1, 2]) {
      const motion = await sensor(`Motion ${index}`, "MOTION", "MOTION", { motion: false }, (random) => ({
        motion: random(2) === 0,
      }));
      const lamp = await house.lamp(`Lamp ${index}`);
      const made = { inputs: { motion: [motion] }, outputs: { lights: [lamp] } };
      wire(lamp, await house.addRule(`Motion light ${index}`, "MOTION_LIGHT", made), motion);
    }
    // A chain of two: people use a switch, the first lamp follows it, and the second lamp follows the first.
    const source = await house.lamp("Switch");
    this.#used.push(source);
    const [first, second] = [await house.lamp("First"), await house.lamp("Second")];
    const bind = (from: string, to: string, invert: boolean): Promise<string> =>
      house.addRule(`Bind ${to}`, "BIND_ON_OFF", {
        inputs: { source: [from] },
        outputs: { targets: [to] },
        extras: { invert: [{ type: "BOOLEAN", value: invert }] },
      });
    wire(first, await bind(source, first, false), source);
    wire(second, await bind(first, second, true), first);
    const socket = await house.lamp("Socket");
    this.#used.push(socket);
    wire(socket, await house.addRule("Auto off", "AUTO_OFF", { outputs: { devices: [socket] } }), socket);
    const lux = await sensor("Lux", "MULTI_SENSOR", "LUX", { lux: 100 }, (random) => ({ lux: random(60) }));
    const dusk = await house.lamp("Dusk lamp");
    const twilight = { inputs: { twilight: [lux] }, outputs: { lights: [dusk] } };
    wire(dusk, await house.addRule("Twilight", "TWILIGHT_LIGHT", twilight), lux);
    const temp = await sensor("Temp", "MULTI_SENSOR", "TEMPERATURE", { temperature: 21 }, (random) => ({
      temperature: 18 + random(6),
    }));
    const heater = await house.lamp("Heater");
    const heating = { inputs: { temp: [temp] }, outputs: { heaters: [heater] } };
    wire(heater, await house.addRule("Heating", "ON_OFF_THERMOSTAT", heating), temp, true);
    const hum = await sensor("Hum", "MULTI_SENSOR", "HUMIDITY", { humidity: 40 }, (random) => ({
      humidity: 40 + random(50),
    }));
    const fan = await house.lamp("Fan");
    const airing = { inputs: { hum: [hum] }, outputs: { fan: [fan] } };
    wire(fan, await house.addRule("Fan rule", "HUMIDITY_FAN", airing), hum, true);
    const window = await sensor("Window", "CONTACT", "CONTACT", { open: false }, (random) => ({
      open: random(2) === 0,
    }));
    const thermostat = await house.addDevice("Thermostat", "THERMOSTAT", ["THERMOSTAT"], {
      targetTemperature: 21,
    });
    const pause = { inputs: { window: [window] }, outputs: { thermostats: [thermostat] } };
    wire(thermostat, await house.addRule("Pause", "WINDOW_OPEN_PAUSE", pause), window);
    await this.#buildScheduled();
  }

  /** Adds rules that go by the clock, and scenes. */
  async #buildScheduled(): Promise<void> {
    const { house } = this;
    const garden = await house.lamp("Garden");
    const times = {
      outputs: { devices: [garden] },
      extras: { ranges: [daily(clock(20 * 60), clock(23 * 60))] },
    };
    this.#scheduled.set(garden, await house.addRule("Garden times", "SUN_SCHEDULE", times));
    for (const name of ["Evening", "Guests"]) {
      const lamp = await house.lamp(`${name} lamp`);
      const presets = { p: { targetIds: [lamp], state: { isOn: true } } };
      const id = house.call(name, await house.accept({ type: "CMD_SCENE", name, presets }));
      this.#scenes.push({ id, lamp });
      this.#used.push(lamp);
    }
  }
}
