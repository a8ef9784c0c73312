import type { ClusterMap } from "../cluster.ts";
import { abilitiesOf, colorCluster } from "./color-abilities.ts";
import { colorFrames } from "./color-frames.ts";
import { colorReading } from "./color-reading.ts";

export const color: ClusterMap = {
  cluster: colorCluster,
  id: 0x0300,
  capabilities(endpoint) {
    const { hs, xy, ct, loop } = abilitiesOf(endpoint);
    return [
      ...(ct ? (["COLOR_TEMP"] as const) : []),
      ...(hs || xy ? (["COLOR_HS"] as const) : []),
      ...(loop ? (["COLOR_LOOP"] as const) : []),
      "TRANSITION",
    ];
  },
  facts: ["colorCapabilities", "colorTempPhysicalMin", "colorTempPhysicalMax"],
  state(endpoint) {
    const { hs, xy, ct, enhanced } = abilitiesOf(endpoint);
    return [
      "colorMode",
      ...(ct ? ["colorTemperature"] : []),
      ...(xy ? ["currentX", "currentY"] : []),
      ...(hs ? ["currentSaturation", enhanced ? "enhancedCurrentHue" : "currentHue"] : []),
    ];
  },
  reporting(endpoint) {
    const { hs, xy, ct } = abilitiesOf(endpoint);
    const rate = { minSeconds: 1, maxSeconds: 3600 };
    return [
      ...(ct ? [{ ...rate, attribute: "colorTemperature", change: 2 }] : []),
      ...(xy ? ["currentX", "currentY"].map((attribute) => ({ ...rate, attribute, change: 100 })) : []),
      ...(hs
        ? ["currentHue", "currentSaturation"].map((attribute) => ({ ...rate, attribute, change: 2 }))
        : []),
    ];
  },
  attributesOf: colorReading,
  framesFor: colorFrames,
};
