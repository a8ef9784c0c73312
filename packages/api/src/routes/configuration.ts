import {
  type Command,
  type Configuration,
  ConfigurationObject,
  configurationObject,
  Id,
  SetConfiguration,
} from "@ledge/model";
import Type from "typebox";
import { notFound, type Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submitFor, unconfigurable } from "../submit.ts";

/** As clients write it: the language of some says True. */
const Flag = Type.Enum(["True", "true", "False", "false"]);

const Done = Type.Literal(true);

export const configuration = [
  row({
    method: "GET",
    path: "/devices/configuration",
    summary: "Settings of a device with CONFIGURABLE, and what became of the last change",
    access: "USER_ADMIN",
    past: "USER_ADMIN",
    query: Type.Object({ deviceId: Id, templates: Type.Optional(Flag) }),
    result: ConfigurationObject,
    handle(call) {
      const { deviceId, templates = "True" } = call.query;
      const found = configurationOf(call, deviceId);
      if ("status" in found) return found;
      return configurationObject(found, call.language, /^t/i.test(templates));
    },
  }),
  row({
    method: "PUT",
    path: "/devices/configuration",
    summary: "Changes settings of a device; a value counts when the device has taken it",
    access: "USER_ADMIN",
    body: SetConfiguration,
    result: Done,
    handle: (call) => unconfigurable(call, [call.body.id]) ?? submitFor(call, [call.body], true as const),
  }),
  row({
    method: "DELETE",
    path: "/devices/configuration",
    summary: "Brings the settings of a device back to their defaults",
    access: "USER_ADMIN",
    query: Type.Object({ deviceId: Id }),
    result: Done,
    handle(call) {
      const { deviceId: id } = call.query;
      return (
        unconfigurable(call, [id]) ??
        submitFor(call, [{ type: "RESET_CONFIGURATION", id } as Command], true as const)
      );
    },
  }),
];

function configurationOf({ caller, hub: { kernel } }: Call, id: string): Configuration | Refused {
  if (!kernel.readable("device", id, caller)) return notFound(`no device ${id}`);
  return kernel.get("configuration", id) ?? notFound(`device ${id} has no configuration`);
}
