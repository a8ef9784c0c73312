import type { Values } from "@ledge/exposes";
import type { At } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import { integer, valuesOf } from "../values.ts";

export const colorCluster = "lightingColorCtrl";

/** The ways to set a lamp's colour: bits of `colorCapabilities` (ZCL 5.2.2.2.1). */
export interface ColorAbilities {
  readonly hs: boolean;
  readonly enhanced: boolean;
  readonly loop: boolean;
  readonly xy: boolean;
  readonly ct: boolean;
}

/**
 * Defaults by device id, for lamps that do not report them: ids above 0x0200 are of ZLL, others of ZHA and
 * Zigbee 3.0.
 */
const byDevice: Readonly<Record<number, number>> = {
  0x0102: 0b01001,
  0x0200: 0b01101,
  0x010c: 0b10000,
  0x0220: 0b10000,
  0x010d: 0b11111,
  0x0210: 0b11111,
};

export function abilitiesOf(endpoint: EndpointFacts): ColorAbilities {
  const values = valuesOf(endpoint.values, colorCluster);
  const said = integer(values, "colorCapabilities", 1, 0xffff);
  const bits = said ?? byDevice[endpoint.device] ?? 0b11000;
  const bit = (place: number): boolean => (bits & (1 << place)) !== 0;
  return { hs: bit(0), enhanced: bit(1), loop: bit(2), xy: bit(3), ct: bit(4) };
}

/**
 * Returns how to send a colour to a lamp: as x and y where it can, since they mean the same colour to every
 * lamp; else by hue, or by hue for a model known to do that better.
 */
export function wayOf({ endpoint, unit }: Pick<At, "endpoint" | "unit">): "xy" | "hs" | "enhanced" {
  const { hs, xy, enhanced } = abilitiesOf(endpoint);
  const { color: known, hasNoEnhancedHue = false } = unit.known?.quirks ?? {};
  if (known === "xy" || !hs || (xy && known === undefined)) return "xy";
  return enhanced && !hasNoEnhancedHue ? "enhanced" : "hs";
}

/** Returns the lowest and highest mired that a lamp has reported, if any. */
export function miredRange(values: Values): { readonly least?: number; readonly most?: number } {
  const least = integer(values, "colorTempPhysicalMin", 1, 0xfeff);
  const most = integer(values, "colorTempPhysicalMax", 1, 0xfeff);
  return { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}
