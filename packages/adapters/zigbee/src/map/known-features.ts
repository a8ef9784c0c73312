import type { Capability } from "@ledge/model";
import {
  type Actions,
  type ExposedExtra,
  type ExposedSetting,
  type Feature,
  type Leaf,
  exposesOf,
  featuresOf,
  isSecret,
  settingsOf,
} from "@ledge/exposes";
import { isWeeklySchedule, scheduleSettings } from "./exposes/schedule.ts";

/** A model's definition as plain facts; `KnownModel` extracts them. */
export interface ModelFacts {
  /** The model's name, such as `TRADFRI bulb E27`. */
  readonly name: string;
  readonly exposes: unknown;
  /** Endpoint numbers by the names that exposes use. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Keys that the model sets in its own way instead of by standard frames. */
  readonly strays: ReadonlySet<string>;
  readonly quirks: Quirks;
}

/** Known deviations of a model from the standard. */
export interface Quirks {
  /** Its lift percentage counts from closed. */
  readonly isCoverInverted: boolean;
  /** How to send it colours, when the definition allows only one way. */
  readonly color: "xy" | "hs" | undefined;
  readonly hasNoEnhancedHue: boolean;
}

/** What a definition knows about one unit. */
export interface KnownFeatures {
  /** Features that its converters read and set instead of the standard clusters. */
  readonly own: readonly Feature[];
  readonly ownAttributes: ReadonlySet<string>;
  /** Of all its features, own and standard ones. */
  readonly capabilities: readonly Capability[];
  readonly actions: Actions;
  readonly settings: readonly ExposedSetting[];
  readonly extras: readonly ExposedExtra[];
  /** It is a lock that keeps codes. */
  readonly hasCodes: boolean;
  readonly quirks: Quirks;
}

/** The content of a model's definition, before it is split into units. */
export interface KnownModelFeatures {
  readonly features: readonly Feature[];
  readonly settings: readonly ExposedSetting[];
  readonly actions: readonly (string | number)[];
  /** What is neither an attribute nor a setting. */
  readonly others: readonly Leaf[];
  readonly hasCodes: boolean;
}

/** A model's definition, with what its exposes mean. */
export type ReadModel = ModelFacts & KnownModelFeatures;

/** Reads the features of a model's exposes. */
export function modelFeatures({ exposes }: Pick<ModelFacts, "exposes">): KnownModelFeatures {
  const { features, rest } = featuresOf(exposesOf(exposes));
  const isAction = ({ expose }: Leaf): boolean => expose.name === "action";
  const schedules = rest.filter(({ whole }) => whole !== undefined && isWeeklySchedule(whole));
  const wholes = new Set(schedules.map(({ whole }) => whole));
  const plain = rest.filter((leaf) => !isAction(leaf) && !isCode(leaf) && !schedules.includes(leaf));
  const { settings, others } = settingsOf(plain);
  return {
    features,
    settings: [...settings, ...[...wholes].flatMap((each) => (each ? scheduleSettings(each) : []))],
    others: others.filter((leaf) => !isSecret(leaf)),
    hasCodes: rest.some(isCode),
    actions: rest.filter(isAction).flatMap(({ expose }) => expose.values),
  };
}

/** A part of what definitions of locks take for a code; the hub has a setting for each code. */
function isCode({ property, path }: Leaf): boolean {
  return property === "pin_code" && path.length > 0;
}
