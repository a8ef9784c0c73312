import type { Kernel } from "@ledge/kernel";
import { type Command, Id, limits, Name, notTaken, optionalOrNull, RoomList, StringSet } from "@ledge/model";
import Type from "typebox";
import { invalid, type Problem, Refused, refusedBy } from "../refused.ts";
import { row } from "../row.ts";

/** The protocol of devices that no adapter of this hub speaks to. */
const protocol = "remote";

const Text = optionalOrNull(Name);

/** A device as `GET /devices` has it: its state, rights, time and numbers are the hub's to say. */
const BaseDevice = Type.Object({
  type: Type.String({ maxLength: limits.nameChars }),
  id: Id,
  name: Name,
  capabilities: StringSet,
  manufacturer: Text,
  model: Text,
  room: optionalOrNull(RoomList),
  zones: optionalOrNull(Type.Array(Id, { maxItems: limits.deviceZones })),
  visible: optionalOrNull(Type.Boolean()),
  hotWater: optionalOrNull(Type.Boolean()),
  groups: optionalOrNull(Type.Array(Type.Unknown(), { maxItems: 0 })),
  always_create: optionalOrNull(Type.Literal(false)),
  bacnetIds: optionalOrNull(Type.Array(Type.Unknown(), { maxItems: 0 })),
  controller_ref: notTaken,
});

export const remotePair = row({
  method: "POST",
  path: "/hub/remotepair",
  since: "1.14.15",
  summary: "Adds a device that somebody else speaks to; it is there a moment later, and unreachable",
  access: "SUPER_ADMIN",
  body: BaseDevice,
  result: Type.Null(),
  handle({ body, caller, id, hub: { kernel, log } }) {
    const native = body.id;
    for (const [, binding] of kernel.all("binding")) {
      if (binding.protocol === protocol && binding.native === native && !binding.removed)
        return new Refused(422, `${native} is paired already`);
    }
    const absent = absentPlaces(body, kernel);
    if (absent.length > 0) return invalid(absent);
    const { type, name, capabilities, manufacturer = null, model = null } = body;
    const content = { class: type, capabilities: capabilities.values, manufacturer, model, extras: {} };
    const add = { type: "ADD_DEVICE", name, protocol, native, radio: protocol, ...content } as Command;
    const by = { origin: caller.origin, cause: `request:${id}` } as const;
    const { outcome } = kernel.foresee({ commands: [add], ...by });
    if (!outcome.accepted) return refusedBy(outcome.rejection);
    const added = kernel.submit({ commands: [add], ...by }).then((done) => {
      const [result] = done.accepted ? done.results : [];
      if (result === undefined || !("id" in result) || result.id === undefined) return undefined;
      // Nobody has heard of it.
      const attributes = { reachable: false };
      const report = { type: "REPORT_DEVICE", id: result.id, attributes, at: kernel.now() } as const;
      const { room = null, zones = null, visible = null, hotWater = null } = body;
      const meta = { type: "CMD_DEVICE_META", id: result.id, room, zones, visible, hotWater } as Command;
      return kernel.submit({ commands: [report, meta], ...by });
    });
    added.catch((error: unknown) => log("error", "a device was not paired", { native, error }));
    return null;
  },
});

/** Rooms and zones of a device that the hub does not have: it would be nowhere, in silence. */
function absentPlaces(
  { room, zones }: Type.Static<typeof BaseDevice>,
  kernel: Pick<Kernel, "get">,
): Problem[] {
  const noRoom = room?.find((id) => kernel.get("room", id) === undefined);
  const noZone = zones?.find((id) => kernel.get("zone", id) === undefined);
  return [
    ...(noRoom === undefined ? [] : [{ field: "room", message: `no room ${noRoom}` }]),
    ...(noZone === undefined ? [] : [{ field: "zones", message: `no zone ${noZone}` }]),
  ];
}
