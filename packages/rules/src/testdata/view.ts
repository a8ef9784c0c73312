import type { Device, PriceSlot, RuleConfig, RuleState, World } from "@ledge/model";
import { attribute, attributes, limits } from "@ledge/model";
import type { Random } from "@ledge/testkit";
import { testNow } from "@ledge/testkit";
import { clock, daily } from "../schedule/daily.ts";
import type { DeviceField, ValueField } from "../catalogue/field.ts";
import { placeOf, rangesAt } from "../schedule/index.ts";
import type { Template } from "../catalogue/template.ts";
import type { Change } from "../machine/view.ts";
import { attributesOf, View } from "../machine/view.ts";

const maxDevices = 3;
/** The longest times between two events (ms). */
const paces = [1000, 60_000, 7_200_000];
/** Upper limits for readings without one: degrees, parts per million, watts. */
const wide = [50, 100, 2000, 20_000];
/** The modifiers of a press. */
const modifiers = [[], ["longpress"], ["stop"]];

/** An attribute for each kind of field; the text is one of a few digits. */
const shownAs = { number: "temperature", boolean: "open", text: "fanMode" } as const;

/** A rule of a template with devices in random states, and random events for its machine. */
export class RandomRule {
  readonly template: Template;
  readonly rule: RuleState;
  readonly #random: Random;
  readonly #devices = new Map<string, Device>();
  #now = testNow;
  /** Whether its alarms are open. */
  #isRaised = false;
  #prices: readonly PriceSlot[] = [];

  constructor(template: Template, random: Random) {
    this.template = template;
    this.#random = random;
    const { configType, inputs, outputs, extras } = template;
    const draft = (): RuleConfig => ({
      type: "CONFIG",
      id: "rule",
      name: "Rule",
      configType,
      inputs: mapped(inputs, (field, name) => this.#fill(name, field, [])),
      outputs: mapped(outputs, (field, name) => this.#fill(name, field, ["BRIGHTNESS"])),
      extras: mapped(extras, (field) => this.#choose(field)),
    });
    let config = draft();
    // A CONFIG that the hub would refuse never reaches a machine.
    for (let tries = 0; template.check?.(config, this.#world()) !== undefined; tries++) {
      if (tries === 1000) throw new Error(`nothing that ${configType} accepts`);
      config = draft();
    }
    this.rule = { id: "rule", is_on: true, scenes: [], timers: [], config, createdAt: 0 };
  }

  /** Returns a random next event, with the world at that time. */
  event(timers: readonly string[]): { readonly type: string; readonly view: View } {
    const { inputs, outputs, hears = [], times, each } = this.template;
    this.#now += 1 + this.#random(paces[this.#random(paces.length)] ?? 1);
    this.#isRaised = this.#random(2) === 0;
    const kinds = ["rule.on", "rule.on", "rule.off", ...hears.filter((topic) => topic !== "outputs")];
    if (times !== undefined) kinds.push("time", "time");
    const heard = [inputs, hears.includes("outputs") ? outputs : {}];
    for (const [index, fields] of heard.entries()) {
      for (const name of Object.keys(fields)) {
        for (let copies = 0; copies < 4; copies++) kinds.push(`${index === 0 ? "in" : "out"}.${name}`);
      }
    }
    kinds.push(...timers, ...timers, ...timers);
    const type = kinds[this.#random(kinds.length)] ?? "rule.on";
    if (type === "price") this.#prices = this.#quote();
    if (type === "time" && times !== undefined) this.#now = this.#edge(times) ?? this.#now;
    const failing = type === "failed" ? Object.keys(outputs)[0] : undefined;
    const field = failing ?? /^(?:in|out)\.(.*)$/.exec(type)?.[1];
    const change = field === undefined ? undefined : this.#change(field);
    const device = each === undefined ? undefined : change?.field === each ? change.device : this.#of(each);
    return {
      type,
      view: new View(this.#world(), this.template, this.rule, placeOf(helsinki), device, change, testNow),
    };
  }

  /** Returns when the next time range begins or ends. */
  #edge(times: NonNullable<Template["times"]>): number | null {
    const place = placeOf(helsinki);
    const view = new View(this.#world(), this.template, this.rule, place);
    return rangesAt(times(view), this.#now, place).next;
  }

  #fill(name: string, { capabilities, min, max }: DeviceField, besides: readonly string[]): string[] {
    const count = Math.max(min, 1 + this.#random(Math.min(max, maxDevices)));
    return Array.from({ length: Math.min(count, max) }, (_, index) => {
      const id = `${name}-${index}`;
      const capability = capabilities[this.#random(capabilities.length)] ?? "DEVICE";
      const values = ["DEVICE", capability, ...besides];
      // An output can be on.
      const shown = besides.length > 0 ? { isOn: this.#random(2) === 0 } : {};
      const state = { type: "STATE", reachable: true, lastSeen: testNow, ...shown };
      const device = {
        type: "MULTI_SENSOR",
        id,
        name: id,
        capabilities: { type: "SET", values },
        room: [],
        state,
      };
      this.#devices.set(id, device as unknown as Device);
      return id;
    });
  }

  #choose({
    fieldType,
    standard,
    minValue,
    maxValue,
    options,
    shows,
    min,
    max,
  }: ValueField): { type: string; value: unknown }[] {
    if (options !== undefined) return [{ type: fieldType, value: options[this.#random(options.length)] }];
    if (fieldType === "ATTRIBUTE") return [{ type: fieldType, value: shownAs[shows ?? "number"] }];
    if (fieldType === "STRING" && min > 0) return [{ type: fieldType, value: "1" }];
    if (fieldType === "BOOLEAN") return [{ type: fieldType, value: this.#random(2) === 0 }];
    if (fieldType === "DATE") {
      const day = new Date(testNow + 86_400_000 * this.#random(4)).toISOString().slice(0, 10);
      return this.#random(2) === 0 ? [] : [{ type: fieldType, value: day }];
    }
    if (fieldType === "SCENE")
      return Array.from({ length: Math.min(max, min + 1) }, () => ({ type: fieldType, value: "scene" }));
    if (typeof standard === "number" || (min > 0 && minValue !== null)) {
      const [low, high] = [minValue ?? 0, maxValue ?? 100];
      const near = typeof standard === "number" ? standard : Math.max(low, Math.floor((low + high) / 2));
      return [{ type: fieldType, value: [low, near, near, high][this.#random(4)] }];
    }
    if (max > 1 && minValue !== null && this.#random(2) === 0) return [{ type: fieldType, value: minValue }];
    if (fieldType === "TIME_RANGE" && min > 0) {
      const [start, end] = [this.#random(1440), this.#random(1440)];
      return [daily(clock(start), clock(end)) as unknown as { type: string; value: unknown }];
    }
    return [];
  }

  /** Returns prices for two days to come, or none. */
  #quote(): readonly PriceSlot[] {
    const first = Math.floor(this.#now / limits.priceSlotMs);
    return Array.from({ length: [0, 192][this.#random(2)] ?? 0 }, (_, index) => {
      const start = (first + index) * limits.priceSlotMs;
      return { start, end: start + limits.priceSlotMs, price: this.#random(21) - 10 };
    });
  }

  #of(field: string): Device | undefined {
    const { inputs, outputs } = this.rule.config;
    const ids = inputs[field] ?? outputs[field] ?? [];
    return this.#devices.get(ids[this.#random(ids.length)] ?? "");
  }

  #change(field: string): Change | undefined {
    const known = this.#of(field);
    const fields = this.template.inputs[field] ?? this.template.outputs[field];
    const names = known && fields ? attributesOf(fields, known, this.rule.config) : [];
    const name = names[this.#random(names.length)];
    if (known === undefined || name === undefined) return undefined;
    const value = this.#value(name);
    const beside = {
      ...(name === "button" && { modifiers: modifiers[this.#random(modifiers.length)] }),
      // An output can be on or off besides what it shows.
      ...(name !== "isOn" && Object.hasOwn(this.template.outputs, field) && { isOn: this.#random(2) === 0 }),
    };
    const device = { ...known, state: { ...known.state, [name]: value, ...beside } } as Device;
    this.#devices.set(device.id, device);
    const isNews = this.#random(10) > 0;
    const origin = isNews ? "device" : "resync";
    return { field, device, attribute: name, value, before: known.state[name], isNews, origin };
  }

  #value(name: string): unknown {
    if (name === "button") return 1 + this.#random(4);
    const { value } = attribute(name) ?? attributes.isOn;
    const {
      type,
      minimum = 0,
      maximum = wide[this.#random(wide.length)] ?? 100,
    } = value as { type?: string; minimum?: number; maximum?: number };
    if (type === "boolean") return this.#random(2) === 0;
    const span = Math.min(maximum, 20_000) - minimum;
    const part = minimum + (span * this.#random(21)) / 20;
    return type === "integer" ? Math.round(part) : part;
  }

  #world(): World {
    const devices = this.#devices;
    const closed = !this.#isRaised;
    const binding = { protocol: "sim", radio: "sim", removed: false };
    const bindings = new Map([...devices.keys()].map((id) => [id, binding]));
    const prices = new Map([["hub", { slots: this.#prices }]]);
    const get = (kind: string, id: string): never => {
      const found = { device: devices.get(id), rule: this.rule, alarm: { id, closed }, binding };
      return found[kind as keyof typeof found] as never;
    };
    const all = (kind: string): never =>
      ({ device: devices, binding: bindings, price: prices }[kind] ?? new Map()).entries() as never;
    return { now: this.#now, newId: () => "id", get, all, size: () => devices.size, before: { get } };
  }
}

const helsinki = { timezone: "Europe/Helsinki", location: null };

function mapped<From, To>(
  of: Readonly<Record<string, From>>,
  to: (from: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(of).map(([name, from]) => [name, to(from, name)]));
}
