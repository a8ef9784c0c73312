import type { ConfigurationItem } from "@ledge/model";

/**
 * A setting stored in one writable attribute of a cluster. Offered only when the device has reported a value
 * for it.
 */
export interface ClusterSetting {
  readonly attribute: string;
  readonly item: ConfigurationItem;
  /** Converts the attribute's value; undefined when it is not a value of the setting. */
  readonly from: (value: unknown) => boolean | number | string | undefined;
  readonly to: (value: boolean | number | string) => unknown;
}

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
