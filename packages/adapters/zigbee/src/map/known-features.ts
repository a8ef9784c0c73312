import type { Capability } from "@ledge/model";
import type { Actions } from "./exposes/actions.ts";
import type { Expose } from "./exposes/expose.ts";
import { exposesOf } from "./exposes/expose.ts";
import type { Feature } from "./exposes/feature.ts";
import { featuresOf } from "./exposes/features.ts";
import type { ExposedSetting } from "./exposes/settings.ts";
import { settingsOf } from "./exposes/settings.ts";

/** What a definition says of a model, as plain facts: `KnownModel` reads them. */
export interface ModelFacts {
  /** What the model is called, such as `TRADFRI bulb E27`. */
  readonly name: string;
  readonly exposes: unknown;
  /** Endpoint by the name that exposes give it. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Keys that the model is set by in a way of its own, and not by the frames of the standard. */
  readonly strays: ReadonlySet<string>;
  readonly quirks: Quirks;
}

/** Where a model is known to stray from the standard. */
export interface Quirks {
  /** Its lift percentage counts how far it is open. */
  readonly isCoverInverted: boolean;
  /** How it takes colours, where the definition knows one way only. */
  readonly color: "xy" | "hs" | undefined;
  readonly hasNoEnhancedHue: boolean;
}

/** What of a unit a definition knows. */
export interface KnownFeatures {
  /** What its converters read and set, in place of the standard clusters. */
  readonly own: readonly Feature[];
  readonly ownAttributes: ReadonlySet<string>;
  /** Of all its features, its own or not. */
  readonly capabilities: readonly Capability[];
  readonly actions: Actions;
  readonly settings: readonly ExposedSetting[];
  readonly quirks: Quirks;
}

/** What a model's definition says, before it is known which part of it is a unit. */
export interface KnownModelFeatures {
  readonly features: readonly Feature[];
  readonly settings: readonly ExposedSetting[];
  readonly actions: readonly (string | number)[];
  /** Exposes that the hub has no attribute and no setting for. */
  readonly leftOut: readonly string[];
}

export function modelFeatures({ exposes }: ModelFacts): KnownModelFeatures {
  const { features, rest } = featuresOf(exposesOf(exposes));
  const settings = settingsOf(rest);
  const isAction = ({ name }: Expose): boolean => name === "action";
  const isSetting = ({ property }: Expose): boolean => settings.some((each) => each.property === property);
  return {
    features,
    settings,
    actions: rest.filter(isAction).flatMap(({ values }) => values),
    leftOut: rest.filter((expose) => !isAction(expose) && !isSetting(expose)).map(({ property }) => property),
  };
}
