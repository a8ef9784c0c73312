import {
  type AttributeValues,
  type Button,
  type ButtonPress,
  type NamedKey,
  type Values,
  asButton,
  inRow,
  isRecord,
  namedKeys,
  sceneButton,
} from "@ledge/exposes";
import type { EndpointFacts } from "./facts.ts";
import type { Message } from "./message.ts";
import { integer } from "./values.ts";

type Press = readonly [key: NamedKey | "held", ...modifiers: string[]];
type Command = (payload: Values) => Press | undefined;

const hold = "longpress";
/** Directions of moves and steps (ZCL 3.10.2.3.2 and 5.2.2.3): up is 0 for levels and 1 for colours. */
const way = (payload: Values, name: string, up: number, keys: readonly [NamedKey, NamedKey]) => {
  const direction = integer(payload, name, 0, 3);
  if (direction === undefined) return undefined;
  return direction === up ? keys[0] : keys[1];
};

const levels: readonly [NamedKey, NamedKey] = ["up", "down"];
const whites: readonly [NamedKey, NamedKey] = ["warmer", "colder"];
const press = (key: NamedKey | undefined, ...modifiers: string[]): Press | undefined =>
  key && [key, ...modifiers];

const step: Command = (payload) => press(way(payload, "stepmode", 0, levels));
const move: Command = (payload) => press(way(payload, "movemode", 0, levels), hold);
const letGo: Command = () => ["held", hold, "stop"];
const toLevel: Command = (payload) => {
  const level = integer(payload, "level", 0, 254);
  if (level === undefined) return undefined;
  if (level >= 254) return ["on", "full_on"];
  return level <= 1 ? ["off"] : ["on"];
};
const arms: readonly NamedKey[] = ["disarm", "arm_day", "arm_night", "arm_all"];

/** Commands that remotes send, by cluster: standard ones, and the arrow keys of IKEA. */
const commands: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  genOnOff: {
    commandOn: () => ["on"],
    commandOff: () => ["off"],
    commandOffWithEffect: () => ["off"],
    commandToggle: () => ["toggle", "toggle"],
  },
  genLevelCtrl: {
    commandStep: step,
    commandStepWithOnOff: step,
    commandMove: move,
    commandMoveWithOnOff: move,
    commandStop: letGo,
    commandStopWithOnOff: letGo,
    commandMoveToLevel: toLevel,
    commandMoveToLevelWithOnOff: toLevel,
  },
  lightingColorCtrl: {
    commandStepColorTemp: (payload) => press(way(payload, "stepmode", 1, whites)),
    commandMoveColorTemp: (payload) =>
      integer(payload, "movemode", 0, 0) === 0
        ? ["held", hold, "stop"]
        : press(way(payload, "movemode", 1, whites), hold),
    commandStopMoveStep: letGo,
    commandMoveHue: (payload) =>
      integer(payload, "movemode", 0, 0) === 0 ? ["hue", hold, "stop"] : ["hue", hold],
    commandStepHue: () => ["hue"],
  },
  closuresWindowCovering: {
    commandUpOpen: () => ["open"],
    commandDownClose: () => ["close"],
    commandStop: () => ["stop"],
  },
  ssIasAce: {
    commandArm: (payload) => press(arms[integer(payload, "armmode", 0, 3) ?? -1]),
    commandPanic: () => ["panic"],
    commandEmergency: () => ["emergency"],
  },
};

/** The keys that a remote may have, by the id of the controlled cluster. */
const keysByCluster: Readonly<Record<number, readonly NamedKey[]>> = {
  0x0006: ["on", "off", "toggle"],
  0x0008: ["up", "down"],
  0x0300: ["warmer", "colder", "hue"],
  0x0102: ["open", "close", "stop"],
};
const aceKeys: readonly NamedKey[] = [...arms, "panic", "emergency"];
const scenes = 0x0005;
const sceneKeys = 6;

/** Returns the endpoints that control others; each is a row of keys. */
export function rowsOf(endpoints: readonly EndpointFacts[]): readonly EndpointFacts[] {
  return endpoints.filter(
    ({ input, output }) => output.some((id) => Object.hasOwn(keysByCluster, id)) || input.includes(0x0501),
  );
}

export function buttonsOf(endpoints: readonly EndpointFacts[]): readonly Button[] {
  const all = rowsOf(endpoints).flatMap(({ input, output }, row) => {
    const named = output.flatMap((id) => keysByCluster[id] ?? []);
    const ace = input.includes(0x0501) ? aceKeys : [];
    const keys = [...new Set([...named, ...ace])].map((key) => namedKeys[key]);
    const recalled = output.includes(scenes)
      ? Array.from({ length: sceneKeys }, (_, index) => sceneButton(index + 1))
      : [];
    return [...keys, ...recalled].map((key) => asButton(inRow(key, row)));
  });
  return all.toSorted((a, b) => a.id - b.id);
}

/** Returns the press that a remote's command means; undefined for other commands. */
export function pressOf(
  { endpoint, cluster, type, data }: Message,
  endpoints: readonly EndpointFacts[],
  before: AttributeValues,
): ButtonPress | undefined {
  const payload = isRecord(data) ? data : {};
  const row = Math.max(
    0,
    rowsOf(endpoints).findIndex(({ id }) => id === endpoint),
  );
  if (cluster === "genScenes" && type === "commandRecall") {
    const scene = integer(payload, "sceneid", 0, 255);
    return scene === undefined ? undefined : { button: inRow(sceneButton(scene), row).id, modifiers: [] };
  }
  const table = Object.hasOwn(commands, cluster) ? commands[cluster] : undefined;
  const command = table && Object.hasOwn(table, type) ? table[type] : undefined;
  const [key, ...modifiers] = command?.(payload) ?? [];
  if (key === undefined) return undefined;
  return { button: key === "held" ? heldOf(before, row) : inRow(namedKeys[key], row).id, modifiers };
}

/** A release belongs to the key that was held. */
function heldOf({ button: last }: AttributeValues, row: number): number {
  const { id } = inRow(namedKeys.up, row);
  const held = [namedKeys.up, namedKeys.down, namedKeys.warmer, namedKeys.colder, namedKeys.hue];
  return typeof last === "number" && held.some((key) => inRow(key, row).id === last) ? last : id;
}
