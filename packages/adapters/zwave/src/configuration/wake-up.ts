import type { ConfigurationItem } from "@ledge/model";
import { plainItem } from "@ledge/port";

/** The name of the setting of how often a sleeping device wakes up. */
export const wakeUpName = "wakeUpInterval";

/** The longest interval that fits into a frame (SDS13784, Wake Up). */
const longest = 0xff_ffff;

/** What a device says about its wake-ups, in seconds. */
export interface WakeUp {
  readonly min?: number;
  readonly max?: number;
  readonly steps?: number;
  readonly default?: number;
}

/** Returns the wake-up interval as a setting; 0 stands for never. */
export function wakeUpItem({ min = 0, max = longest, default: usual }: WakeUp): ConfigurationItem {
  const isTurned = min > max;
  const [least, most] = isTurned ? [0, longest] : [min, max];
  const isKnown = usual !== undefined && usual >= least && usual <= most;
  return {
    ...plainItem,
    name: wakeUpName,
    fieldType: "NUMBER",
    label: {
      en: "Wake-up interval (s)",
      fi: "Heräämisväli (s)",
      sv: "Uppvakningsintervall (s)",
      de: "Aufwachintervall (s)",
    },
    defaultValue: isKnown ? usual : null,
    minValue: least,
    maxValue: most,
  };
}

/** Returns why a device cannot wake up at an interval within its bounds; undefined when it can. */
export function wakeUpProblem({ min = 0, steps = 1 }: WakeUp, value: number): string | undefined {
  if (!Number.isInteger(value)) return "must be a whole number of seconds";
  const isStep = steps <= 1 || (value - min) % steps === 0;
  return isStep ? undefined : `must be ${min} plus a multiple of ${steps}`;
}
