import type { RuleTemplate } from "@ledge/model";

/** What templates are for, in the order in which a reader sees them. */
export const uses = [
  "light",
  "climate",
  "safety",
  "doors",
  "presence",
  "energy",
  "household",
  "values",
  "other",
  "own",
] as const;
export type Use = (typeof uses)[number];

const known: Readonly<Partial<Record<Use, readonly string[]>>> = {
  light: [
    "MOTION_LIGHT",
    "NIGHT_LIGHT",
    "TWILIGHT_LIGHT",
    "SUN_SCHEDULE",
    "REMOTE_CONTROL",
    "DOUBLE_TAP_SCENE",
    "BIND_ON_OFF",
    "AUTO_OFF",
    "ALL_OFF",
    "SUNRISE_WAKEUP",
  ],
  climate: [
    "THERMOSTAT_SCHEDULE",
    "ON_OFF_THERMOSTAT",
    "HEATING_CURVE",
    "WINDOW_OPEN_PAUSE",
    "HUMIDITY_FAN",
    "AIR_QUALITY_VENT",
  ],
  safety: [
    "SMOKE_CO_ALARM",
    "EMERGENCY_BUTTON",
    "LEAK_ALERT_VALVE",
    "INTRUSION_ALARM",
    "FREEZE_TEMP_LIMIT",
    "INACTIVITY_CARE",
  ],
  doors: ["DOOR_LEFT_OPEN", "LOCK_AUTO_LOCK", "DOOR_CHIME", "CAMERA_SNAPSHOT"],
  presence: ["PRESENCE_ARRIVE_LEAVE", "AWAY_SIMULATION", "VACATION_MODE"],
  energy: ["POWER_OVERLOAD", "SPOT_CHEAPEST", "SPOT_LIMIT", "EV_CHARGE"],
  household: ["APPLIANCE_DONE", "IRRIGATION", "BATTERY_LOW", "DEVICE_OFFLINE"],
  values: ["NUMBER_LIMIT", "TRUTH_FOR", "TEXT_ONE_OF"],
};

const useByType = new Map(
  uses.flatMap((use) => (known[use] ?? []).map((configType) => [configType, use] as const)),
);

/** Returns templates by what they are for, the most important first; a group without any is left out. */
export function groupsOf(
  templates: readonly RuleTemplate[],
): readonly (readonly [Use, readonly RuleTemplate[]])[] {
  return uses.flatMap((use) => {
    const found = templates
      .filter((template) => useOf(template) === use)
      .toSorted((a, b) => b.priority - a.priority || a.name.localeCompare(b.name));
    return found.length === 0 ? [] : [[use, found] as const];
  });
}

function useOf({ category, configType }: RuleTemplate): Use {
  return category === "CUSTOM_RULE" ? "own" : (useByType.get(configType) ?? "other");
}

/** What an ATTRIBUTE of a template must show; the hub's templates do not say. */
const shows = new Map<string, "number" | "boolean">([
  ["NUMBER_LIMIT", "number"],
  ["TRUTH_FOR", "boolean"],
]);

/** Names that say nothing of what a device measures. */
const kept: ReadonlySet<string> = new Set(["type", "extras", "reachable"]);

/**
 * Returns the attributes of devices that a template can watch, by name; those of one model's own as
 * `extras.<name>`.
 * @param states of the devices
 */
export function attributesFor(
  configType: string,
  states: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const wanted = shows.get(configType);
  const isWanted = (value: unknown): boolean =>
    wanted === undefined ? isScalar(value) : typeof value === wanted;
  const found = states.flatMap((state) => {
    const own = Object.entries(state).filter(([name, value]) => !kept.has(name) && isWanted(value));
    const extras = Object.entries(extrasOf(state)).filter(([, { value }]) => isWanted(value));
    return [...own.map(([name]) => name), ...extras.map(([name]) => `extras.${name}`)];
  });
  return [...new Set(found)].toSorted();
}

function isScalar(value: unknown): boolean {
  return ["number", "string"].includes(typeof value);
}

function extrasOf({
  extras,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, { readonly value: unknown }>> {
  const isThere = typeof extras === "object" && extras !== null;
  return isThere ? (extras as Record<string, { readonly value: unknown }>) : {};
}
