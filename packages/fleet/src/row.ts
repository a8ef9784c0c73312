/** A JSON object, as a hub's API serves it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How a device of a register is reached; null for what is unknown. */
export interface DeviceRouting {
  readonly gatewayId: string | null;
  readonly protocol: string | null;
}

/**
 * The metadata of a device in a register (platform-api 2.4). The lists order, search and filter by it. Times are
 * ms since the epoch; `createdBy` and `modifiedBy` say who, "" when nobody is known.
 */
export interface RegisterDevice {
  readonly id: string;
  readonly isActive: boolean;
  readonly name: string;
  readonly type: string;
  readonly capabilities: readonly string[];
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly createdBy: string;
  readonly modifiedBy: string;
  readonly routing: DeviceRouting;
  readonly nativeId: string;
  readonly serialNumber: string;
  readonly model: string;
  readonly manufacturer: string;
  readonly tags: Readonly<Record<string, string>>;
}

export type RowKind = "device" | "alarm";

/** The place of a row: ids are unique among the rows of a kind in a register. */
export interface RowKey {
  readonly register: string;
  readonly kind: RowKind;
  readonly id: string;
}

interface AnyRow {
  readonly register: string;
  readonly id: string;
  /** The only source that may change the row: a hub's id, or a projector of the platform's log. */
  readonly source: string;
  /** When the object last changed (ms), by the source's clock. */
  readonly timestamp: number;
}

/** A device. `object` is the whole object as its hub serves it; null when no hub has reported one. */
export interface DeviceRow extends AnyRow {
  readonly kind: "device";
  readonly device: RegisterDevice;
  readonly object: JsonObject | null;
}

/** An alarm of a hub (USER_ALARM of the hub API). */
export interface AlarmRow extends AnyRow {
  readonly kind: "alarm";
  readonly object: JsonObject;
}

export type Row = DeviceRow | AlarmRow;

/** Returns the key of a row. */
export function keyOf({ register, kind, id }: RowKey): RowKey {
  return { register, kind, id };
}
