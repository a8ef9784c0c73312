import { isDeepStrictEqual } from "node:util";
import {
  type Expose,
  type Leaf,
  exposesOf,
  isSecret,
  leavesOf,
  nameOf,
  partOf,
  partsOf,
  wholeOf,
} from "@ledge/exposes";
import { propertiesOf } from "./attributes.ts";
import { settingActions, settingValues } from "./configuration.ts";
import { isWeeklySchedule } from "./exposes/schedule.ts";
import { framesFor } from "./frames.ts";
import type { DefinedDevice } from "./test-definitions.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

/** What becomes of one value that a definition exposes. */
export interface Becoming {
  readonly leaf: Leaf;
  /** The light, cover and so on that has it, or itself. */
  readonly group: Expose;
  /** Attributes, `setting`, `extra`, `button` or `capability`; empty when nothing has it. */
  readonly as: readonly string[];
  /** Values that nothing shows, or that cannot be told from others. */
  readonly unshown: readonly unknown[];
  /** Values that no command can set. */
  readonly untold: readonly unknown[];
}

/** A definition's units, and what becomes of its exposes. */
export interface Coverage {
  readonly units: readonly Unit[];
  readonly becomings: readonly Becoming[];
}

/** Lets the units of a definition read and set a value of each of its exposes, and all words of a list. */
export function coverageOf({ node, model }: DefinedDevice): Coverage {
  const units = unitsOf(node, model);
  const becomings = exposesOf(model.exposes).flatMap((group) =>
    partsOf(group).flatMap((part) => leavesFor(units, part).map((leaf) => becoming(units, group, leaf))),
  );
  return { units, becomings };
}

/** What is an attribute as a whole, such as a colour, is not shown by its parts. */
function leavesFor(units: readonly Unit[], part: Expose): readonly Leaf[] {
  const isWhole = units.some(({ known }) =>
    known?.own.some(({ property, attributes }) => property === part.property && attributes.length > 0),
  );
  return leavesOf(isWhole && part.type === "composite" ? { ...part, features: [] } : part);
}

function becoming(units: readonly Unit[], group: Expose, leaf: Leaf): Becoming {
  const silent = silentlyAs(units, group, leaf);
  if (silent !== undefined) return { group, leaf, as: [silent], unshown: [], untold: [] };
  const values = samplesOf(leaf.expose);
  const shown = values.map((value) => JSON.stringify(shownBy(units, leaf, value)));
  const isUnclear = (text: string, index: number): boolean => text === "[]" || shown.indexOf(text) !== index;
  return {
    group,
    leaf,
    as: placesOf(units, leaf),
    unshown: leaf.isSaid ? values.filter((_, index) => isUnclear(shown[index] ?? "[]", index)) : [],
    untold: leaf.isSettable ? values.filter((value) => !isTold(units, leaf, value)) : [],
  };
}

/** Keys of remotes, identifying, schedules, codes, and the movement of a cover that has a position. */
function silentlyAs(
  units: readonly Unit[],
  group: Expose,
  leaf: Leaf,
): "button" | "capability" | "setting" | "secret setting" | undefined {
  const { expose, property, whole } = leaf;
  const hasSettings = (start: string): boolean =>
    units.some(({ known }) => known?.settings.some(({ item }) => item.name.startsWith(`${start}.`)));
  if (whole && isWeeklySchedule(whole) && hasSettings(property)) return "setting";
  const isCode = property === "pin_code" && units.some(({ known }) => known?.hasCodes);
  const isKept = units.some(({ known }) =>
    known?.settings.some(({ item }) => item.secret && item.name === nameOf(leaf)),
  );
  if (isCode || (isSecret(leaf) && (isKept || !leaf.isSettable))) return "secret setting";
  if (expose.name === "action") return "button";
  if (expose.name === "identify") return "capability";
  if (group.type !== "cover" || expose.name !== "state") return undefined;
  const isPlaced = units.some(({ known }) => known?.own.some((each) => each.property === property));
  return isPlaced && group.features.some(({ name }) => name === "position") ? "capability" : undefined;
}

function samplesOf({ type, name, on, off, values, least, most }: Expose): readonly unknown[] {
  switch (type) {
    case "binary":
      return [on, off];
    case "enum":
      return values.length > 0 ? [...new Set(values)] : ["word"];
    case "numeric": {
      const isOdd = least !== null && most !== null && least > most;
      return [isOdd ? 50 : Math.min(most ?? Infinity, Math.max(least ?? -Infinity, 50))];
    }
    case "text":
      return ["some text"];
    case "composite":
      return [name === "color_hs" ? { hue: 120, saturation: 50 } : { x: 0.3, y: 0.3 }];
    default:
      return [["#ff8800"]];
  }
}

/** Returns whether a setting or an extra is that of a leaf. */
function holds({ property, path }: Leaf): (each: Pick<Leaf, "property" | "path">) => boolean {
  return (each) => each.property === property && isDeepStrictEqual(each.path, path);
}

/** What the units show when a device says a value. */
function shownBy(units: readonly Unit[], leaf: Leaf, value: unknown): readonly unknown[] {
  const properties = { [leaf.property]: wholeOf([{ path: leaf.path, value }]) };
  return units
    .flatMap((unit) => [propertiesOf(unit, properties, {}), settingValues(unit, properties)])
    .filter((shown) => Object.keys(shown).length > 0);
}

/** Whether some command makes a unit send the value to the property. */
function isTold(units: readonly Unit[], leaf: Leaf, value: unknown): boolean {
  const { key, property, endpoint, path } = leaf;
  return units.some((unit) => {
    const { settings = [], extras = [] } = unit.known ?? {};
    const set = settings
      .filter(holds(leaf))
      .flatMap(({ item, from }) => settingActions(unit, { [item.name]: from(value) ?? "" }));
    const told = extras
      .filter(holds(leaf))
      .flatMap(({ attribute, from }) => framesFor(unit, { [attribute]: from(value) }, {}));
    const wanted = propertiesOf(unit, { [property]: value }, {});
    const written =
      path.length === 0 ? framesFor(unit, { ...wanted, effect: value, gradient: value }, {}) : [];
    return [...set, ...told, ...written].some(
      (action) =>
        action.kind === "convert" &&
        action.key === key &&
        action.endpointName === endpoint &&
        isLike(partOf(leaf, action.value), value),
    );
  });
}

/** Whether two values are the same for a lamp: colours are computed. */
function isLike(one: unknown, other: unknown): boolean {
  if (typeof one === "object" && one !== null && "x" in one) return typeof other === "object";
  return isDeepStrictEqual(one, other);
}

function placesOf(units: readonly Unit[], leaf: Leaf): readonly string[] {
  const places = units.flatMap(({ known }) => [
    ...(known?.own ?? [])
      .filter((each) => each.property === leaf.property)
      .flatMap(({ attributes }) => attributes),
    ...(known?.settings ?? []).filter(holds(leaf)).map(() => "setting"),
    ...(known?.extras ?? []).filter(holds(leaf)).map(() => "extra"),
  ]);
  return [...new Set(places)];
}
