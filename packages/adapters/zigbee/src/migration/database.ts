import { refuseSetting } from "@ledge/port";
import { lazyValidator } from "@ledge/model";
import Type from "typebox";
import { checked, parsedJson } from "./schema.ts";

const Ieee = Type.String({ pattern: "^0x[0-9a-f]{16}$" });
const Word = Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()]));
const Clusters = Type.Array(Type.Integer({ minimum: 0, maximum: 0xffff }), { maxItems: 256 });
const Bag = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const Id = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const Endpoint = Type.Object({
  profId: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff })),
  epId: Type.Integer({ minimum: 0, maximum: 255 }),
  devId: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff })),
  inClusterList: Clusters,
  outClusterList: Clusters,
  clusters: Bag,
  binds: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 512 })),
  configuredReportings: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 512 }),
  ),
  meta: Bag,
});
const Device = Type.Object({
  id: Id,
  type: Type.Enum(["Coordinator", "Router", "EndDevice", "Unknown", "GreenPower"]),
  ieeeAddr: Ieee,
  nwkAddr: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  manufName: Word,
  modelId: Word,
  powerSource: Word,
  endpoints: Type.Record(Type.String({ pattern: String.raw`^\d{1,3}$` }), Endpoint, {
    additionalProperties: false,
  }),
  interviewCompleted: Type.Optional(Type.Boolean()),
  interviewState: Type.Optional(Type.String({ maxLength: 32 })),
  meta: Bag,
});
const Group = Type.Object({
  id: Id,
  type: Type.Literal("Group"),
  groupID: Type.Integer({ minimum: 1, maximum: 0xfff7 }),
  members: Type.Array(
    Type.Object({ deviceIeeeAddr: Ieee, endpointID: Type.Integer({ minimum: 0, maximum: 255 }) }),
    { maxItems: 1024 },
  ),
});
const Entry = Type.Object({ id: Id, type: Type.String({ maxLength: 32 }) });
const validators = {
  entry: lazyValidator(Entry),
  device: lazyValidator(Device),
  group: lazyValidator(Group),
};

/** A device of zigbee-herdsman's database. */
export type DeviceEntry = Readonly<Type.Static<typeof Device>>;
/** A group of zigbee-herdsman's database. */
export type GroupEntry = Readonly<Type.Static<typeof Group>>;

/** A database of zigbee-herdsman. */
export interface ReadDatabase {
  readonly devices: readonly DeviceEntry[];
  readonly groups: readonly GroupEntry[];
  /** In the library's format: one JSON object per line. */
  readonly text: string;
}

/**
 * Reads a database of zigbee-herdsman: one JSON object per line.
 * @param where the name of the file, for messages
 * @throws AdapterError `settings`; the message names the line
 */
export function readDatabase(where: string, text: string): ReadDatabase {
  const devices: DeviceEntry[] = [];
  const groups: GroupEntry[] = [];
  const seen = new Set<string | number>();
  const once = (at: string, what: string | number): void => {
    if (seen.has(what)) refuseSetting(at, `${what} is there twice`);
    seen.add(what);
  };
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const at = `${where} line ${index + 1}`;
    const value = parsedJson(at, line);
    const { id, type } = checked(at, validators.entry, value);
    once(at, id);
    if (type === "Group") groups.push(checked(at, validators.group, value));
    else {
      const device = checked(at, validators.device, value);
      once(at, device.ieeeAddr);
      devices.push(device);
    }
  }
  const coordinators = devices.filter((each) => each.type === "Coordinator").length;
  if (coordinators !== 1) refuseSetting(where, `has ${coordinators} coordinators instead of one`);
  return { devices, groups, text: lines.filter((line) => line.trim() !== "").join("\n") };
}

/** Whether the library has understood a device completely. */
export function isUnderstood({ interviewCompleted, interviewState }: DeviceEntry): boolean {
  return interviewState === undefined ? interviewCompleted === true : interviewState === "SUCCESSFUL";
}
