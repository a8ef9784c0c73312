const turn = 2 * Math.PI;

/** The steps of a full turn of hue, and of saturation from none to full (ZCL 5.2.2.2.1). */
export const hueSteps = 254;
export const enhancedHueSteps = 0xffff;
export const saturationSteps = 254;

export const hueToRaw = (hue: number, steps: number): number => Math.round((hue / turn) * steps);
export const hueFromRaw = (raw: number, steps: number): number => Math.min(turn, (raw / steps) * turn);
export const saturationToRaw = (saturation: number): number => Math.round(saturation * saturationSteps);
export const saturationFromRaw = (raw: number): number => raw / saturationSteps;

/** Converts x and y to and from steps of 1/65,536; the largest value is 0xfeff. */
export const xyToRaw = (share: number): number => Math.min(0xfeff, Math.max(0, Math.round(share * 65_536)));
export const xyFromRaw = (raw: number): number => raw / 65_536;
