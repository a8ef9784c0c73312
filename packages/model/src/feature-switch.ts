import Type from "typebox";
import type { Decision } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { builtFeatures, type Feature, featureName, features } from "./feature.ts";
import type { Hub } from "./hub-state.ts";
import { Id } from "./schema.ts";

/** Features that protect or reach the hub: their switches would lock somebody out, from where they cannot be turned on. */
const fixed: ReadonlySet<number> = new Set([
  features.REMOTE_USAGE,
  features.SERVER_CONNECTION,
  features.PREMIUM,
]);

/** FEATURE_SWITCH: a feature that the hub has, and whether it is on. */
export const FeatureSwitch = Type.Object({
  type: Type.Literal("FEATURE_SWITCH"),
  feature: Type.Enum(Object.keys(features) as Feature[]),
  code: Type.Integer(),
  isOn: Type.Boolean(),
});

/** What a client says of one feature. */
export const FeatureWanted = Type.Object({
  type: Type.Literal("FEATURE_SWITCH"),
  feature: Type.String({ maxLength: 64 }),
  isOn: Type.Boolean(),
});

export const SwitchFeature = Type.Object({
  type: Type.Literal("SWITCH_FEATURE"),
  id: Id,
  feature: Type.String(),
  isOn: Type.Boolean(),
});

/** A feature was switched off or on, among those that the hub has by its profile or a code. */
export const FeatureSwitched = defineEvent("FeatureSwitched", 1, {
  feature: Type.Integer(),
  isOn: Type.Boolean(),
});
export type FeatureSwitched = EventOf<typeof FeatureSwitched>;

/** The types of the events that change which features are on. */
export const featureEvents: ReadonlySet<string> = new Set([
  "FeaturesSet",
  "FeaturesActivated",
  "FeatureSwitched",
]);

/** Decides on switching a feature: refuses one that the hub does not have, and one that has no switch. */
export function decideSwitch(
  state: Pick<Hub, "id" | "features" | "switchedOff">,
  { feature, isOn }: Pick<Type.Static<typeof SwitchFeature>, "feature" | "isOn">,
): Decision<FeatureSwitched> {
  const code = Object.hasOwn(features, feature) ? features[feature as Feature] : undefined;
  if (code === undefined) return reject("invalid", `no feature ${feature}`, "feature");
  const isNow = state.features.includes(code);
  if (!isNow && !state.switchedOff.includes(code))
    return reject("wrong-state", `this hub does not have ${feature}: activate it with a code`, "feature");
  if (!isSwitchable(code)) return reject("invalid", `${feature} cannot be switched`, "feature");
  return isNow === isOn ? [] : [{ type: "FeatureSwitched", id: state.id, feature: code, isOn }];
}

/** Returns the part of the hub's state that a switch changes. */
export function switched(
  { features: on, switchedOff }: Pick<Hub, "features" | "switchedOff">,
  { feature, isOn }: Pick<FeatureSwitched, "feature" | "isOn">,
): Pick<Hub, "features" | "switchedOff"> {
  const [to, from] = isOn ? [on, switchedOff] : [switchedOff, on];
  const more = [...to.filter((code) => code !== feature), feature].toSorted((a, b) => a - b);
  const less = from.filter((code) => code !== feature);
  return isOn ? { features: more, switchedOff: less } : { features: less, switchedOff: more };
}

/** Returns the features with a switch that the hub has, by their codes. */
export function featureSwitches({
  features: on,
  switchedOff,
}: Pick<Hub, "features" | "switchedOff">): Type.Static<typeof FeatureSwitch>[] {
  return [...on, ...switchedOff]
    .filter(isSwitchable)
    .toSorted((a, b) => a - b)
    .map((code) => ({
      type: "FEATURE_SWITCH",
      feature: featureName(code) as Feature,
      code,
      isOn: on.includes(code),
    }));
}

function isSwitchable(code: number): boolean {
  return builtFeatures.has(code) && !fixed.has(code);
}
