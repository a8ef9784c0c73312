/** Colour temperatures on the air count in mired, in the hub in K. */
export const miredOf = (kelvin: number): number => Math.min(0xfeff, Math.max(1, Math.round(1e6 / kelvin)));
export const kelvinOf = (mired: number): number => 1e6 / mired;

const turn = 2 * Math.PI;

/** Steps of a hue around the wheel, and of a saturation from none to full (ZCL 5.2.2.2.1). */
export const hueSteps = 254;
export const enhancedHueSteps = 0xffff;
export const saturationSteps = 254;

export const hueToRaw = (hue: number, steps: number): number => Math.round((hue / turn) * steps);
export const hueFromRaw = (raw: number, steps: number): number => Math.min(turn, (raw / steps) * turn);
export const saturationToRaw = (saturation: number): number => Math.round(saturation * saturationSteps);
export const saturationFromRaw = (raw: number): number => raw / saturationSteps;

/** Steps of x and y: 1 is 65,536, and the largest value is 0xfeff. */
export const xyToRaw = (share: number): number => Math.min(0xfeff, Math.max(0, Math.round(share * 65_536)));
export const xyFromRaw = (raw: number): number => raw / 65_536;
