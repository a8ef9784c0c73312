import { climate } from "./climate.ts";
import { color } from "./color.ts";
import { locks } from "./locks.ts";
import { meter, production } from "./meters.ts";
import { covers } from "./covers.ts";
import type { ValueRow } from "./row.ts";
import { scenes } from "./scenes.ts";
import { sensors } from "./sensors.ts";
import { switches } from "./switches.ts";
import type { NodeValue } from "./value.ts";

/** All values that the hub knows. */
const rows: readonly ValueRow[] = [
  ...switches,
  ...covers,
  color,
  meter,
  ...production,
  ...climate,
  ...locks,
  scenes,
  ...sensors,
];

const byClass: ReadonlyMap<number, readonly ValueRow[]> = Map.groupBy(
  rows,
  ({ commandClass }) => commandClass,
);

/** Returns the row of a value; undefined for one that the hub does not show. */
export function rowOf({ commandClass, property, propertyKey }: NodeValue): ValueRow | undefined {
  return byClass.get(commandClass)?.find(
    (row) =>
      (row.property === undefined || row.property === property) &&
      // The whole colour, not its components.
      (row.propertyKey === propertyKey ||
        (row.propertyKey === undefined && row.commandClass !== color.commandClass)),
  );
}
