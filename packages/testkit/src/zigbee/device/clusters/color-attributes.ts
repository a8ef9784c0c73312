import type { AttributeSpec } from "../cluster.ts";
import { within } from "../cluster.ts";

/** The colour features of a lamp: hue and saturation, x and y, colour temperature. */
export type ColorFeature = "hs" | "xy" | "ct";

export interface ColorOptions {
  readonly features: readonly ColorFeature[];
  readonly minMireds?: number;
  readonly maxMireds?: number;
}

export type ColorName =
  | "hue"
  | "saturation"
  | "remainingTime"
  | "x"
  | "y"
  | "mireds"
  | "mode"
  | "options"
  | "enhancedMode"
  | "capabilities"
  | "minMireds"
  | "maxMireds"
  | "startUp";

const capability = { hs: 0x01, xy: 0x08, ct: 0x10 } as const;

/** Returns the colour attributes of a lamp, without those of features that it lacks. */
export function colorAttributes(options: ColorOptions): Partial<Record<ColorName, AttributeSpec>> {
  const { features, minMireds = 153, maxMireds = 500 } = options;
  const reported = { isReportable: true } as const;
  const mode = features.includes("ct") ? 2 : 1;
  const capabilities = features.reduce((bits, feature) => bits | capability[feature], 0);
  const byFeature: Readonly<Record<ColorFeature, Partial<Record<ColorName, AttributeSpec>>>> = {
    hs: {
      hue: { id: 0x0000, type: "uint8", value: 0, ...reported },
      saturation: { id: 0x0001, type: "uint8", value: 0, ...reported },
    },
    xy: {
      x: { id: 0x0003, type: "uint16", value: 0x616b, ...reported },
      y: { id: 0x0004, type: "uint16", value: 0x607d, ...reported },
    },
    ct: {
      mireds: { id: 0x0007, type: "uint16", value: 370, ...reported },
      minMireds: { id: 0x400b, type: "uint16", value: minMireds },
      maxMireds: { id: 0x400c, type: "uint16", value: maxMireds },
      startUp: {
        id: 0x4010,
        type: "uint16",
        value: null,
        isWritable: true,
        check: (value) => (value === null ? 0 : within(minMireds, maxMireds)(value)),
      },
    },
  };
  return {
    remainingTime: { id: 0x0002, type: "uint16", value: 0 },
    mode: { id: 0x0008, type: "enum8", value: mode, ...reported },
    options: { id: 0x000f, type: "map8", value: 0, isWritable: true },
    enhancedMode: { id: 0x4001, type: "enum8", value: mode },
    capabilities: { id: 0x400a, type: "map16", value: capabilities },
    ...Object.assign({}, ...features.map((feature) => byFeature[feature])),
  };
}
