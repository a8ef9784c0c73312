/** Converts between the hub's kelvin and the mired of Zigbee. */
export const miredOf = (kelvin: number): number => Math.min(0xfeff, Math.max(1, Math.round(1e6 / kelvin)));
export const kelvinOf = (mired: number): number => 1e6 / mired;
