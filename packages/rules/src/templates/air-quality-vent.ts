import type { Capability } from "@ledge/model";
import { isSettable } from "@ledge/model";
import { ascending } from "./parts/ascending.ts";
import type { Arguments, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { set } from "../machine/effect.ts";
import { devices, sensors, number, ranges } from "../catalogue/field.ts";
import type { Template } from "../catalogue/template.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";
import { airQualityVentTexts as texts } from "./air-quality-vent.texts.ts";

interface Context {
  /** The worst band since the air was last good. */
  readonly level: number;
  /** The speed that the rule commanded last. */
  readonly speed: number;
}

const clearingMs = 600_000;

/** The fields that hold the limits of bands 1 and 2, by what a sensor measures. */
const bounds = {
  CO2: ["co2Low", "co2High"],
  VOC: ["vocLow", "vocHigh"],
  VOX: ["voxLow", "voxHigh"],
  NOX: ["noxLow", "noxHigh"],
  PM25: ["pm25Low", "pm25High"],
} as const satisfies Partial<Record<Capability, readonly [string, string]>>;
type Measure = keyof typeof bounds;

/** Returns the worst band that the sensors show, 0 to 2; undefined when they show nothing. */
function bandOf(view: View): number | undefined {
  const bands = view.measured("air").flatMap(({ capability, value }) => {
    const [low, high] = bounds[capability as Measure];
    if (typeof value !== "number") return [];
    if (value < view.number(low)) return [0];
    return [value < view.number(high) ? 1 : 2];
  });
  return bands.length === 0 ? undefined : Math.max(...bands);
}

/**
 * Commands a speed in each device's own terms. A ventilation unit never stops, because a home always needs
 * some air.
 */
function blow(view: View, speed: number): readonly Effect[] {
  return view.devices("fan").flatMap((device) => {
    const isOn = speed > 0;
    if (isSettable(device, "fanMode")) return set([device], { fanMode: [0, 1, 3][speed], isOn });
    if (device.capabilities.values.includes("VU")) return set([device], { mode: speed + 1 });
    return set([device], { isOn });
  });
}

const isWorse = ({ context, event: { view } }: Arguments<Context>): boolean =>
  (bandOf(view) ?? 0) > context.level;
const isGood = ({ event: { view } }: Arguments<Context>): boolean => bandOf(view) === 0;
const isBad = ({ event: { view } }: Arguments<Context>): boolean => (bandOf(view) ?? 0) > 0;

/** Quiet hours allow the lowest speed only. */
const speedOf = ({ context, event: { view } }: Arguments<Context>): number =>
  Math.min(context.level, view.isWithin("quiet") ? 1 : 2);

const rise = keep<Context>(({ event: { view } }) => ({ level: bandOf(view) ?? 0 }));
const follow: Transition<Context> = {
  guard: (given) => speedOf(given) !== given.context.speed,
  actions: [
    keep((given) => ({ speed: speedOf(given) })),
    out(({ context: { speed }, event: { view } }) => blow(view, speed)),
  ],
};
const calm: Transition<Context> = {
  guard: isGood,
  target: "calm",
  actions: [keep(() => ({ level: 0, speed: 0 })), out(({ event: { view } }) => blow(view, 0))],
};

const extras: Template["extras"] = {
  co2Low: number("PPM", 800, 400, 10_000, { for: "air" }),
  co2High: number("PPM", 1100, 400, 10_000, { for: "air" }),
  vocLow: number("PPM", 150, 0, 10_000, { for: "air" }),
  vocHigh: number("PPM", 250, 0, 10_000, { for: "air" }),
  voxLow: number("NUMBER", 150, 1, 500, { for: "air" }),
  voxHigh: number("NUMBER", 250, 1, 500, { for: "air" }),
  noxLow: number("NUMBER", 20, 1, 500, { for: "air" }),
  noxHigh: number("NUMBER", 150, 1, 500, { for: "air" }),
  pm25Low: number("NUMBER", 12, 0, 1000, { for: "air" }),
  pm25High: number("NUMBER", 35, 0, 1000, { for: "air" }),
  quiet: ranges(0, 8),
};
const checks = Object.values(bounds).map(([low, high]) => ascending(extras, low, high));

/**
 * Ventilates as strongly as the air is bad: speeds up at once and slows down after the air was good for a
 * while.
 */
export const airQualityVent = template<Context>({
  configType: "AIR_QUALITY_VENT",
  version: 1,
  priority: 80,
  class: "RULE",
  level: true,
  icon: "air",
  inputs: { air: sensors(Object.keys(bounds) as Measure[], 1, 8) },
  outputs: { fan: devices(["FAN_MODE", "VU", "ON_OFF"], 1, 4) },
  extras,
  check: (config, world) => {
    for (const check of checks) {
      const problem = check(config, world);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
  late: { late: "fire" },
  times: (view) => view.ranges("quiet"),
  chart: {
    context: { level: 0, speed: 0 },
    initial: "unknown",
    delays: { clearing: () => clearingMs },
    states: {
      unknown: { idle: true, always: [calm, { guard: isBad, target: "airing" }] },
      calm: { idle: true, always: { guard: isBad, target: "airing" } },
      airing: {
        always: [{ guard: isWorse, actions: [rise] }, { guard: isGood, target: "clearing" }, follow],
      },
      clearing: {
        always: [{ guard: isBad, target: "airing" }, follow],
        after: { clearing: [calm, { target: "airing" }] },
      },
    },
  },
  texts,
});
