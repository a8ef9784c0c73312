import {
  CmdDevice,
  CmdDeviceLock,
  CmdDeviceMeta,
  CmdDeviceOff,
  CmdDeviceOn,
  CmdDeviceVisible,
  CmdIgnoreDevice,
  CmdResetIgnored,
  type Command,
  Device,
  Id,
  PresetRequest,
} from "@ledge/model";
import Type from "typebox";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor, submitSwitching, unreadable } from "../submit.ts";

/** Commands that are answered with what came of them: `true`, or a refusal. */
const immediate: ReadonlySet<string> = new Set(["CMD_IGNORE_DEVICE", "CMD_RESET_IGNORED"]);

export const devices = [
  row({
    method: "GET",
    path: "/devices",
    summary: "Devices by id, all or those of a group",
    access: "GUEST",
    query: Type.Object({ groupId: Type.Optional(Type.String()) }),
    result: Type.Record(Type.String(), Device),
    handle({ caller, query: { groupId }, language, hub: { kernel } }) {
      if (groupId === undefined) return kernel.dictionary("device", caller, language);
      if (!kernel.readable("group", groupId, caller)) return notFound(`no group ${groupId}`);
      return kernel.dictionary("device", caller, language, kernel.get("group", groupId)?.members);
    },
  }),
  row({
    method: "PUT",
    path: "/devices",
    summary: "Names devices, puts them into rooms, hides and locks them",
    access: "IDENTIFIED_USER",
    body: Type.Union([CmdDeviceMeta, CmdDeviceVisible, CmdDeviceLock]),
    list: true,
    result: Type.Literal(true),
    handle: (call) =>
      unreadable(
        call,
        "device",
        call.body.map(({ id }) => id),
      ) ?? submitFor(call, call.body, true as const),
  }),
  row({
    method: "DELETE",
    path: "/devices",
    summary: "Removes devices",
    access: "USER_ADMIN",
    body: Id,
    list: true,
    result: Type.Literal(true),
    handle(call) {
      const commands = [...new Set(call.body)].map((id) => ({ type: "REMOVE_DEVICE", id }) as Command);
      return unreadable(call, "device", call.body) ?? submitFor(call, commands, true as const);
    },
  }),
  row({
    method: "PUT",
    path: "/devices/command",
    summary: "Commands devices; what comes of it shows in the poll",
    access: "GUEST",
    mixed: true,
    switches: true,
    body: Type.Union([CmdDevice, CmdDeviceOn, CmdDeviceOff, CmdDeviceMeta, CmdIgnoreDevice, CmdResetIgnored]),
    list: true,
    result: Type.Union([Type.Null(), Type.Boolean()]),
    handle(call) {
      const [first] = call.body;
      // It answers whether the device was ignored: one that is not there cannot be.
      if (call.body.length === 1 && first?.type === "CMD_IGNORE_DEVICE") {
        if (!call.hub.kernel.readable("device", first.id, call.caller)) return false;
      }
      const ids = call.body.map((each) => ("id" in each ? each.id : null));
      const answer = call.body.some(({ type }) => immediate.has(type)) ? true : null;
      return unreadable(call, "device", ids) ?? submitSwitching(call, call.body, answer);
    },
  }),
  row({
    method: "PUT",
    path: "/devices/preset",
    summary: "Brings devices of one type into a state, for each preset of the list",
    access: "GUEST",
    remote: "IDENTIFIED_USER",
    body: PresetRequest,
    list: true,
    result: Type.Literal(true),
    handle(call) {
      const commands = call.body.map(({ targetIds, state }) => {
        return { type: "APPLY_PRESET", targetIds, state } as Command;
      });
      const missing = call.body.map(({ targetIds }, index) => unreadable(call, "device", targetIds, index));
      return missing.find((refused) => refused !== undefined) ?? submitFor(call, commands, true as const);
    },
  }),
];
