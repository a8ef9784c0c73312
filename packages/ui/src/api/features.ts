// Rows by which features of the hub are switched off and on.
import { type Answer, call } from "./call.ts";

/** FEATURE_SWITCH: a feature that the hub has, and whether it is on. */
export interface FeatureSwitch {
  readonly feature: string;
  readonly isOn: boolean;
}

/** The features of the hub that have a switch. */
export function featureSwitches(signal: AbortSignal): Promise<Answer<readonly FeatureSwitch[]>> {
  return call("/hub/featureswitches", { signal });
}

/** Switches a feature. @returns all switches */
export function switchFeature(feature: string, isOn: boolean): Promise<Answer<readonly FeatureSwitch[]>> {
  const body = [{ type: "FEATURE_SWITCH", feature, isOn }];
  return call("/hub/featureswitches", { method: "PUT", body });
}
