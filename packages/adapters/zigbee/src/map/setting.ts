import type { ConfigurationItem } from "@ledge/model";
import type { ClusterSetting } from "./cluster.ts";

export const plainItem = {
  help: null,
  defaultValue: null,
  options: [],
  minValue: null,
  maxValue: null,
  readOnly: false,
} as const satisfies Partial<ConfigurationItem>;

type Codec = Pick<ClusterSetting, "from" | "to">;

/** A setting with a fixed set of numbers. */
export function option(values: readonly number[]): Codec {
  return {
    from: (value) => (typeof value === "number" && values.includes(value) ? value : undefined),
    to: (value) => value,
  };
}

/** A setting whose unit is `scale` steps of the attribute. */
export function scaled(scale: number, least: number, most: number): Codec {
  return {
    from(value) {
      if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
      const shown = value / scale;
      return shown >= least && shown <= most ? shown : undefined;
    },
    to: (value) => Math.round(Number(value) * scale),
  };
}
