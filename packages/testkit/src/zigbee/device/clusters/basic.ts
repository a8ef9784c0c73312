import type { AttributeSpec, Kind } from "../cluster.ts";
import { Cluster } from "../cluster.ts";

/** Power sources of the basic cluster. */
export const powerSources = { unknown: 0, mains: 1, mainsThreePhase: 2, battery: 3, dc: 4 } as const;

export interface Product {
  readonly manufacturer: string;
  readonly model: string;
  readonly powerSource?: keyof typeof powerSources;
  /** Null for a device without the attribute. */
  readonly softwareBuild?: string | null;
  readonly dateCode?: string;
  readonly applicationVersion?: number;
  readonly hardwareVersion?: number;
  readonly stackVersion?: number;
}

type Name =
  | "zclVersion"
  | "applicationVersion"
  | "stackVersion"
  | "hardwareVersion"
  | "manufacturer"
  | "model"
  | "dateCode"
  | "powerSource"
  | "softwareBuild";

/** Manufacturer and model of the device (0x0000). */
export class Basic extends Cluster<Name | "own"> {
  /** @param own a manufacturer-specific attribute. */
  constructor(product: Product, own?: AttributeSpec, kind: Kind = {}) {
    const { softwareBuild = "1.0.0" } = product;
    const attributes: Partial<Record<Name, AttributeSpec>> = {
      zclVersion: { id: 0x0000, type: "uint8", value: 3 },
      applicationVersion: { id: 0x0001, type: "uint8", value: product.applicationVersion ?? 1 },
      stackVersion: { id: 0x0002, type: "uint8", value: product.stackVersion ?? 2 },
      hardwareVersion: { id: 0x0003, type: "uint8", value: product.hardwareVersion ?? 1 },
      manufacturer: { id: 0x0004, type: "text", value: product.manufacturer },
      model: { id: 0x0005, type: "text", value: product.model },
      dateCode: { id: 0x0006, type: "text", value: product.dateCode ?? "20240115" },
      powerSource: { id: 0x0007, type: "enum8", value: powerSources[product.powerSource ?? "mains"] },
      ...(softwareBuild !== null && { softwareBuild: { id: 0x4000, type: "text", value: softwareBuild } }),
    };
    super(0x0000, { ...attributes, ...(own && { own }) } as Record<Name | "own", AttributeSpec>, kind);
    this.on(0x00, () => undefined);
  }
}
