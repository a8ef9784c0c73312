import type { Button, ButtonPress, NamedKey } from "./buttons.ts";
import { asButton, inRow, namedKeys, sceneButton } from "./buttons.ts";

type Key = Pick<Button, "id" | "label">;
type Gesture = "press" | "down" | "hold" | "release" | "double" | "triple" | "quadruple" | "many";

interface ParsedAction {
  /** Undefined for the key that was held last. */
  readonly key: Key | undefined;
  readonly gesture: Gesture;
}

/** The actions of a remote: its buttons, and the press that each action means. */
export interface Actions {
  readonly buttons: readonly Button[];
  readonly pressOf: (action: unknown, before: Readonly<Record<string, unknown>>) => ButtonPress | undefined;
}

/**
 * Parses the actions of a definition. The same names give the same ids in any order.
 * @param exposed names as exposed: `on`, `brightness_move_up`, `1_single`
 */
export function actionsOf(exposed: readonly (string | number)[]): Actions {
  const actions = exposed.flatMap((action) => expanded(String(action)));
  const parsed = new Map(actions.map((action) => [action, parse(action)] as const));
  const all = [...parsed.values()];
  const keys = new Map(all.flatMap(({ key }) => (key ? [[key.id, key] as const] : [])));
  const pressed = new Set(all.flatMap(({ key, gesture }) => (key && gesture === "press" ? [key.id] : [])));
  const isWild = exposed.some((action) => String(action).includes("*"));
  return {
    buttons: [...keys.values()].toSorted((a, b) => a.id - b.id).map(asButton),
    pressOf(action, before) {
      if (typeof action !== "string" && typeof action !== "number") return undefined;
      const name = String(action);
      const found = parsed.get(name) ?? (isWild ? parse(name) : undefined);
      const id = found && (found.key?.id ?? lastOf(before["button"], keys));
      // A key that reports both going down and being pressed counts once.
      if (found === undefined || id === undefined || (found.gesture === "down" && pressed.has(id)))
        return undefined;
      return { button: id, modifiers: modifiers[found.gesture] };
    },
  };
}

/** `recall_*` stands for any scene: the first few get buttons. */
function expanded(action: string): readonly string[] {
  if (!action.includes("*")) return [action];
  return Array.from({ length: shownScenes }, (_, index) => action.replace("*", String(index + 1)));
}

const shownScenes = 6;

function lastOf(button: unknown, keys: ReadonlyMap<number, Key>): number | undefined {
  if (typeof button === "number" && keys.has(button)) return button;
  return [namedKeys.up.id, ...keys.keys()].find((id) => keys.has(id));
}

const modifiers: Readonly<Record<Gesture, readonly string[]>> = {
  press: [],
  down: [],
  hold: ["longpress"],
  release: ["longpress", "stop"],
  double: ["double"],
  triple: ["triple"],
  quadruple: ["quadruple"],
  many: ["many"],
};

/** Suffixes of actions that tell the gesture, longest first. */
const gestures: readonly (readonly [RegExp, Gesture])[] = [
  [/^(.*?)_?(?:long|hold)_(?:press_)?release(?:d)?$/, "release"],
  [/^(.*?)_?(?:press|short)_release(?:d)?$/, "press"],
  [/^(.*?)_?(?:long_press|hold|held|long|long_click|move)$/, "hold"],
  [/^(.*?)_?(?:release|released|stop)$/, "release"],
  [/^(.*?)_?(?:double_press|double_click|double|double_tap)$/, "double"],
  [/^(.*?)_?(?:triple_press|triple_click|triple)$/, "triple"],
  [/^(.*?)_?(?:quadruple)$/, "quadruple"],
  [/^(.*?)_?(?:many|many_press|quintuple)$/, "many"],
  [/^(.*?)_?(?:single|single_press|single_click|click|short|short_press|tap)$/, "press"],
  [/^(.*?)_?(?:initial_press|press|pressed)$/, "down"],
];

/** Names of a remote's standard commands, and what they mean. */
const standard: Readonly<Record<string, readonly [NamedKey | null, Gesture]>> = {
  brightness_move_up: ["up", "hold"],
  brightness_move_down: ["down", "hold"],
  brightness_step_up: ["up", "press"],
  brightness_step_down: ["down", "press"],
  brightness_up: ["up", "press"],
  brightness_down: ["down", "press"],
  brightness_stop: [null, "release"],
  color_temperature_step_up: ["warmer", "press"],
  color_temperature_step_down: ["colder", "press"],
  color_temperature_move_up: ["warmer", "hold"],
  color_temperature_move_down: ["colder", "hold"],
  color_temperature_move_stop: ["warmer", "release"],
  hue_move: ["hue", "hold"],
  hue_stop: ["hue", "release"],
  arm_day_zones: ["arm_day", "press"],
  arm_night_zones: ["arm_night", "press"],
  arm_all_zones: ["arm_all", "press"],
};

/** Other names of keys. */
const synonyms: Readonly<Record<string, NamedKey>> = {
  dim_up: "up",
  dim_down: "down",
  brightness_move_up: "up",
  brightness_move_down: "down",
  brightness_up: "up",
  brightness_down: "down",
  arrow_left: "left",
  arrow_right: "right",
};

function parse(action: string): ParsedAction {
  const name = action.toLowerCase();
  const { rest, row } = rowOf(name);
  const known = Object.hasOwn(standard, rest) ? standard[rest] : undefined;
  if (known !== undefined) {
    const [named, gesture] = known;
    return { key: named === null ? undefined : inRow(namedKeys[named], row), gesture };
  }
  // `stop` alone is a key of a remote for blinds.
  if (isNamed(name)) return { key: keyOf(name), gesture: "press" };
  for (const [pattern, gesture] of gestures) {
    const found = pattern.exec(name);
    if (found) return { key: keyOf(found[1] ?? ""), gesture };
    const leading = leadingGesture(name, pattern);
    if (leading !== undefined) return { key: keyOf(leading), gesture };
  }
  return { key: keyOf(name), gesture: "press" };
}

/** Handles `single_1`, which some models use instead of `1_single`. */
function leadingGesture(name: string, pattern: RegExp): string | undefined {
  const [first, ...others] = name.split("_");
  if (first === undefined || others.length !== 1 || isNamed(first)) return undefined;
  return pattern.test(first) ? others[0] : undefined;
}

/** Handles `on_2`, a key of the second row. */
function rowOf(name: string): { readonly rest: string; readonly row: number } {
  const found = /^(.+)_(?:l|s|ep|button_)?([1-9])$/.exec(name);
  const [, rest = name, digit = "1"] = found ?? [];
  const isRow = isNamed(rest) || Object.hasOwn(standard, rest);
  return isRow ? { rest, row: Number(digit) - 1 } : { rest: name, row: 0 };
}

function isNamed(name: string): boolean {
  return Object.hasOwn(namedKeys, name) || Object.hasOwn(synonyms, name);
}

function keyOf(name: string): Key {
  if (name === "" || name === "button") return { id: 1, label: "Button" };
  const { rest, row } = rowOf(name);
  const word = Object.hasOwn(synonyms, rest) ? synonyms[rest] : rest;
  if (word !== undefined && Object.hasOwn(namedKeys, word)) return inRow(namedKeys[word as NamedKey], row);
  const scene = /^(?:recall|scene)_(\d{1,3})$/.exec(name);
  if (scene) return sceneButton(Number(scene[1]));
  const counted = /^(?:button_|switch_|key_)?(\d{1,2})$/.exec(name);
  if (counted) return { id: numbered + Number(counted[1]), label: `Button ${Number(counted[1])}` };
  return { id: hashed(name), label: words(name) };
}

/** Ids of numbered keys, apart from named ones. */
const numbered = 300;

/** FNV-1a: a permanent id for a name, above all other ids. */
function hashed(name: string): number {
  let hash = 0x811c9dc5;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return 10_000 + (hash % 1_000_000);
}

function words(name: string): string {
  const spaced = name.replaceAll("_", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
