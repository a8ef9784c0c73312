import type { Batch, RegisterStore } from "../register-store.ts";
import type { AlarmRow, DeviceRow, RegisterDevice, Row } from "../row.ts";
import type { SourceBounds } from "../source-room.ts";

/** The clock of a store under test (ms since the epoch). */
export interface TestTime {
  now: number;
}

/** Where a store under test keeps its rows. */
export interface StoreStorage {
  /** Opens the store. Only one at a time is open. @param bounds how much a source may have */
  open(bounds?: SourceBounds): Promise<RegisterStore>;
  /** Whether a store that is closed and opened again has its rows. */
  readonly isDurable: boolean;
  /** What the store takes for the present. */
  readonly time: TestTime;
  remove(): Promise<void>;
}

export type Run = (what: string, test: (storage: StoreStorage) => Promise<void>) => void;

/** Returns the metadata of a device. */
export function deviceOf(id: string, fields: Partial<RegisterDevice> = {}): RegisterDevice {
  return {
    id,
    isActive: true,
    name: `Device ${id}`,
    type: "LIGHT",
    capabilities: ["DEVICE"],
    createdAt: 1,
    modifiedAt: 1,
    createdBy: "",
    modifiedBy: "",
    routing: { gatewayId: null, protocol: null },
    nativeId: "",
    serialNumber: "",
    model: "",
    manufacturer: "",
    tags: {},
    ...fields,
  };
}

export interface RowFields {
  readonly register?: string;
  readonly source?: string;
  readonly timestamp?: number;
  readonly device?: Partial<RegisterDevice>;
  readonly object?: DeviceRow["object"];
}

/** Returns a device's row. */
export function rowOf(id: string, fields: RowFields = {}): DeviceRow {
  const { register = "home", source = "hub", timestamp = 1, device = {}, object = { id } } = fields;
  return { kind: "device", register, id, source, timestamp, device: deviceOf(id, device), object };
}

/** Returns an alarm's row. */
export function alarmOf(
  id: string,
  { register = "home", source = "hub", timestamp = 1 }: RowFields = {},
): AlarmRow {
  return { kind: "alarm", register, id, source, timestamp, object: { type: "USER_ALARM", id } };
}

/** Returns a batch; by default one that begins the source `hub`. */
export function batchOf(upserts: readonly Row[], fields: Partial<Batch> = {}): Batch {
  const { source = upserts[0]?.source ?? "hub" } = fields;
  return { source, generation: 1, after: null, upto: "1", upserts, removals: [], outbox: [], ...fields };
}

/** Returns the ids of the rows that a scan yields. */
export async function idsIn(rows: AsyncIterable<Row>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of rows) ids.push(id);
  return ids;
}
