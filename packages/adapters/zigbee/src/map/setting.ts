import type { ConfigurationItem } from "@ledge/model";
import type { EndpointFacts } from "./facts.ts";

/**
 * A setting stored in one writable attribute of a cluster. Offered only when the device has reported a value
 * for it.
 */
export interface ClusterSetting {
  readonly attribute: string;
  readonly item: ConfigurationItem;
  /** Converts the attribute's value; undefined when it is not a value of the setting. */
  readonly from: (value: unknown) => boolean | number | string | undefined;
  /** @param now the attribute's value, of which the setting may be only a part. */
  readonly to: (value: boolean | number | string, now: unknown) => unknown;
  /** Whether endpoints with the attribute have the setting; true by default. */
  readonly suits?: (endpoint: EndpointFacts) => boolean;
}

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

/** A setting that is a whole number of the attribute. */
export function whole(least: number, most: number): Codec {
  return scaled(1, least, most);
}

/** A setting that is one bit of an attribute. Leaves the other bits alone. */
export function bit(mask: number): Codec {
  return {
    from: (value) =>
      typeof value === "number" && Number.isInteger(value) ? (value & mask) !== 0 : undefined,
    to(value, now) {
      const others = typeof now === "number" ? now & ~mask : 0;
      return value === true ? others | mask : others;
    },
  };
}
