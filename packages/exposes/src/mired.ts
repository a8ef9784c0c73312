/** Returns the mired (a million through kelvin) of a colour temperature in K, a whole number from 1 to 0xfeff (ZCL). */
export const miredOf = (kelvin: number): number => Math.min(0xfeff, Math.max(1, Math.round(1e6 / kelvin)));

/** Returns the colour temperature of a mired, K; not rounded. */
export const kelvinOf = (mired: number): number => 1e6 / mired;
