import {
  CmdDeviceAccess,
  CmdDeviceLock,
  CmdDeviceMeta,
  CmdDeviceVisible,
  type Command,
  Device,
  Id,
  PresetRequest,
} from "@ledge/model";
import Type from "typebox";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";
import { notOwnClient, submitFor, unconfigurable, unreadable } from "../submit.ts";
import { commandDevices, DeviceCommandAnswer, DeviceCommandRequest } from "./device-commands.ts";

export const devices = [
  row({
    method: "GET",
    path: "/devices",
    summary: "Devices by id, all or those of a group",
    access: "GUEST",
    past: "IDENTIFIED_USER",
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
    body: Type.Union([CmdDeviceMeta, CmdDeviceVisible, CmdDeviceLock, CmdDeviceAccess]),
    list: true,
    result: Type.Literal(true),
    handle: (call) =>
      unreadable(
        call,
        "device",
        call.body.map(({ id }) => id),
      ) ??
      notOwnClient(call, call.body) ??
      submitFor(call, call.body, true as const),
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
      const refused = unreadable(call, "device", call.body) ?? unconfigurable(call, call.body);
      return refused ?? submitFor(call, commands, true as const);
    },
  }),
  row({
    method: "PUT",
    path: "/devices/command",
    summary: "Commands devices; what comes of it shows in the poll, or is the answer where a command asks",
    access: "GUEST",
    mixed: true,
    switches: true,
    body: DeviceCommandRequest,
    list: true,
    result: DeviceCommandAnswer,
    handle: commandDevices,
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
