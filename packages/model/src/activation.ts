import Type from "typebox";
import type { Decision } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { builtFeatures, featureName } from "./feature.ts";
import type { Hub, UsedCode } from "./hub-state.ts";
import { limits } from "./limits.ts";
import { Id } from "./schema.ts";

/** The contents of a genuine activation code for this hub. */
export const ActivateFeatures = Type.Object({
  type: Type.Literal("ACTIVATE_FEATURES"),
  id: Id,
  serial: Type.String(),
  features: Type.Array(Type.Integer()),
  expires: Type.Integer(),
});

/** An activation code was used. */
export const FeaturesActivated = defineEvent("FeaturesActivated", 1, {
  serial: Type.String(),
  features: Type.Array(Type.Integer()),
  expires: Type.Integer(),
});
export type FeaturesActivated = EventOf<typeof FeaturesActivated>;

/** Decides on an activation code: refuses one that is expired, used, or names features that cannot be activated. */
export function decideActivation(
  state: Hub,
  { serial, features, expires }: Type.Static<typeof ActivateFeatures>,
  now: number,
): Decision<FeaturesActivated> {
  const refuse = (message: string): Decision => reject("invalid", message, "code");
  if (expires <= now) return refuse("the activation code has expired");
  const used = unexpired(state, now);
  if (used.some((code) => code.serial === serial))
    return reject("wrong-state", "the activation code was used already", "code");
  if (used.length >= limits.activations)
    return refuse(`at most ${limits.activations} activation codes are remembered`);
  if (features.length === 0) return refuse("the activation code names no feature");
  const unknown = features.find((code) => featureName(code) === undefined);
  if (unknown !== undefined) return refuse(`the activation code names an unknown feature: ${unknown}`);
  const missing = features.find((code) => !builtFeatures.has(code));
  if (missing !== undefined) return refuse(`this release has no function for ${featureName(missing)}`);
  return [{ type: "FeaturesActivated", id: state.id, serial, features, expires }];
}

/** Returns the part of the hub's state that a used code changes. */
export function activated(
  state: Hub,
  { serial, features, expires }: FeaturesActivated,
  timestamp: number,
): Pick<Hub, "features" | "activated" | "switchedOff" | "usedCodes"> {
  return {
    features: united(state.features, features),
    activated: united(state.activated, features),
    switchedOff: state.switchedOff.filter((code) => !features.includes(code)),
    usedCodes: [...unexpired(state, timestamp), { serial, expires }],
  };
}

/** Returns the feature codes of two lists, sorted and without duplicates. */
export function united(some: readonly number[], others: readonly number[]): number[] {
  return [...new Set([...some, ...others])].toSorted((a, b) => a - b);
}

function unexpired({ usedCodes }: Hub, now: number): UsedCode[] {
  return usedCodes.filter(({ expires }) => expires > now);
}
