import type { Kernel } from "@ledge/kernel";
import type { Command, States } from "@ledge/model";
import { idsOf } from "@ledge/model";

/** Changes to a home's settings, apart from its rooms, devices and groups. */
export const configurationMoves = [
  "add factory scenes",
  "add scene",
  "change scene",
  "turn scene",
  "remove scene",
  "add rule",
  "change rule",
  "turn rule",
  "remove rule",
  "add zone",
  "rename zone",
  "remove zone",
  "put device into zone",
  "raise alert",
  "clear alert",
  "keep color",
  "locate hub",
] as const;

type ConfigurationMove = (typeof configurationMoves)[number];

export function isConfiguration(name: string): name is ConfigurationMove {
  return configurationMoves.some((move) => move === name);
}

export type AnyCommand = Command & Readonly<Record<string, unknown>>;

/** Addresses a command to an object of a kind. Returns undefined when there is none. */
export type About = (kind: keyof States, command: AnyCommand) => AnyCommand | undefined;

/** Ids of the users of a random home. Not all of them exist at any time. */
export const userIds = ["user-0", "user-1", "user-2"] as const;
/** Returns the command of a move; see `commandOf`. */
export function configurationOf(
  name: ConfigurationMove,
  pick: number,
  value: number,
  kernel: Pick<Kernel, "all">,
  about: About,
): AnyCommand | undefined {
  switch (name) {
    case "add factory scenes":
      return { type: "ADD_FACTORY_SCENES" };
    case "add scene":
      return { type: "CMD_SCENE", name: `Scene ${value}`, ...sceneFields(value, kernel) };
    case "change scene":
      return about("scene", { type: "CMD_SCENE", ...sceneFields(value, kernel) });
    case "turn scene":
      return about("scene", { type: value % 3 === 0 ? "CMD_SCENE_OFF" : "CMD_SCENE_ON" });
    case "remove scene":
      return about("scene", { type: "REMOVE_SCENE" });
    case "add rule":
      return {
        type: "SET_RULE",
        config: ruleConfig(value),
        on: { scenes: some(idsOf("scene", kernel), value) },
      };
    case "change rule": {
      const scenes = some(idsOf("scene", kernel), value);
      return about("rule", {
        type: "SET_RULE_ON",
        on: { scenes, timers: scenes.length > 0 ? [] : [cronDef] },
      });
    }
    case "turn rule":
      return about("rule", { type: value % 2 === 0 ? "RULE_ON_COMMAND" : "RULE_OFF_COMMAND" });
    case "remove rule":
      return about("rule", { type: "REMOVE_RULE" });
    case "add zone":
      return { type: "CMD_ZONE", name: `Zone ${value}` };
    case "rename zone":
      return about("zone", { type: "CMD_ZONE", name: `Zone ${value % 5}` });
    case "remove zone":
      return about("zone", { type: "REMOVE_ZONE" });
    case "put device into zone":
      return about("device", { type: "CMD_DEVICE_META", zones: some(idsOf("zone", kernel), value) });
    case "raise alert": {
      const userId = value % 2 === 0 ? null : (chosen(userIds, value) ?? null);
      const text = { msg_id: "SCENE_INCOMPLETE", parameters: { name: `${value % 3}` } };
      return { type: "RAISE_ALERT", ...text, sourceId: `${pick}`, error: value % 3 === 0, userId };
    }
    case "clear alert":
      return about("alert", { type: "CLEAR_ALERT" });
    case "keep color":
      return about("hub", { type: "ADD_COLOR", color: `#${String(value).padStart(6, "0")}` });
    case "locate hub": {
      const [latitude, longitude] = value % 3 === 0 ? [null, null] : [value % 90, -(value % 180)];
      return about("hub", { type: "SET_LOCATION", latitude, longitude });
    }
  }
}

const cronDef = { start: "0 7 * * *", stop: "0 22 * * *" };
const evening = {
  type: "TIME_RANGE",
  weekdays: [5, 6],
  start: { type: "SUN_EVENT", event: "SUNSET", offsetMs: 0 },
  end: { type: "TIME_OF_DAY", value: 1380 },
  enabled: true,
};

/** Returns presets for some lamps and requirements for some scenes. Occasionally there are none, or invalid ones. */
function sceneFields(number: number, kernel: Pick<Kernel, "all">): object {
  const targetIds = some(idsOf("device", kernel), number);
  const preset = { targetIds, state: { isOn: number % 2 === 0 } };
  return {
    ...(targetIds.length > 0 && { presets: { [`p${number % 3}`]: preset } }),
    ...(number % 4 === 0 && { requiredIds: some(idsOf("scene", kernel), number >> 2) }),
    ...(number % 5 === 0 && { isOn: number % 2 === 0 }),
    ...(number % 7 === 0 && { sceneTimes: number % 2 === 0 ? [{ cronDef }] : [evening] }),
  };
}

function ruleConfig(number: number): object {
  return { name: `Rule ${number}`, configType: "MOTION_LIGHT", inputs: {}, outputs: {}, extras: {} };
}

export function chosen<T>(of: readonly T[], number: number): T | undefined {
  return of[number % of.length];
}

export function some(ids: readonly string[], number: number): string[] {
  return ids.filter((_, index) => ((number >> (index % 8)) & 1) === 1);
}
