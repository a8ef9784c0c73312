import { Cluster } from "../cluster.ts";
import type { DataType } from "../zcl/types.ts";

interface Row {
  readonly cluster: number;
  readonly type: DataType;
  readonly lowest: number;
  readonly highest: number;
  /** Converts the unit of the quantity to that of the attribute. */
  readonly scale: (value: number) => number;
}

/** Quantities, with the units in which tests give them. */
const rows = {
  /** °C */
  temperature: { cluster: 0x0402, type: "int16", lowest: -4000, highest: 12_500, scale: (it) => it * 100 },
  /** % */
  humidity: { cluster: 0x0405, type: "uint16", lowest: 0, highest: 10_000, scale: (it) => it * 100 },
  /** hPa */
  pressure: { cluster: 0x0403, type: "int16", lowest: 300, highest: 1100, scale: (it) => it },
  /** lx, on a logarithmic scale where 0 is darkness. */
  illuminance: {
    cluster: 0x0400,
    type: "uint16",
    lowest: 1,
    highest: 50_001,
    scale: (it) => (it < 1 ? 0 : 10_000 * Math.log10(it) + 1),
  },
  /** ppm; the attribute holds a fraction of 1. */
  carbonDioxide: { cluster: 0x040d, type: "single", lowest: 0, highest: 0.01, scale: (it) => it / 1e6 },
} satisfies Readonly<Record<string, Row>>;

export type Quantity = keyof typeof rows;

/** A measured value (0x0400 to 0x040d). */
export class Measurement extends Cluster<"measured" | "lowest" | "highest"> {
  readonly #row: Row;

  /** @param value in the unit of the quantity; null before the first measurement. */
  constructor(quantity: Quantity, value: number | null, reportsUnasked = false) {
    const row: Row = rows[quantity];
    const { type, lowest, highest } = row;
    super(
      row.cluster,
      {
        measured: { id: 0x0000, type, value: scaled(row, value), isReportable: true },
        lowest: { id: 0x0001, type, value: lowest },
        highest: { id: 0x0002, type, value: highest },
      },
      { reportsUnasked },
    );
    this.#row = row;
  }

  measure(value: number | null): void {
    this.set({ measured: scaled(this.#row, value) });
  }
}

function scaled({ type, scale }: Row, value: number | null): number | null {
  if (value === null) return null;
  return type === "single" ? scale(value) : Math.round(scale(value));
}
