import type { AttributeValues, Values } from "@ledge/exposes";
import type { EndpointFacts } from "../facts.ts";
import { integer, rounded, valuesOf } from "../values.ts";
import type { Quantity } from "./mains.ts";
import { factorOf } from "./scale.ts";

export const cluster = "haElectricalMeasurement";
export const id = 0x0b04;

/** Returns what an endpoint has told of the cluster. */
export const said = ({ values }: EndpointFacts): Values => valuesOf(values, cluster);

export const hasElectrical = ({ input }: EndpointFacts): boolean => input.includes(id);

/** Returns the hub's units in one step of a reading. */
export function factor(endpoint: EndpointFacts, { scale, unit }: Quantity): number {
  const most = scale === "power" ? 0xff_ffff : 0xfffe;
  if (scale === undefined) return unit;
  return unit * factorOf(said(endpoint), `${scale}Multiplier`, `${scale}Divisor`, most);
}

/**
 * Returns a reading in the hub's unit; undefined when the device cannot measure it.
 * @param end the end of the attribute's name, by phase
 */
export function reading(
  values: Values,
  end: string,
  quantity: Quantity,
  endpoint: EndpointFacts,
): number | undefined {
  const raw = integer(values, `${quantity.raw}${end}`, ...quantity.range);
  return raw === undefined ? undefined : rounded(raw * factor(endpoint, quantity), quantity.decimals);
}

/** Returns readings of one endpoint without phases. */
export function readings(
  values: Values,
  quantities: readonly Quantity[],
  endpoint: EndpointFacts,
): AttributeValues {
  const shown = quantities.map((each): AttributeValues => {
    const value = reading(values, "", each, endpoint);
    return value === undefined ? {} : named(each.attribute, value);
  });
  return Object.assign({}, ...shown) as AttributeValues;
}

export function watts(value: number): AttributeValues {
  const shown = rounded(value, 2);
  return { activePower: shown, power: shown };
}

/** Returns a reading by the hub's names: active power has two. */
export function named(attribute: string, value: number): AttributeValues {
  return attribute === "power" ? watts(value) : { [attribute]: value };
}
