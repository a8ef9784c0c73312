import type { AttributeValues } from "@ledge/exposes";

/** The longest transition of ZCL, in tenths of a second; 0xffff means the device's own. */
const longest = 0xfffe;

/** Returns the transition time in tenths of a second; 0 by default. */
export function tenths({ transitionMsec }: AttributeValues): number {
  if (typeof transitionMsec !== "number" || !(transitionMsec > 0)) return 0;
  return Math.min(longest, Math.max(1, Math.round(transitionMsec / 100)));
}

/**
 * Options of Level Control and Color Control (ZCL 3.10.2.2.8): a lamp that is off accepts the command and
 * stays off.
 */
export const evenIfOff = { optionsMask: 1, optionsOverride: 1 } as const;
