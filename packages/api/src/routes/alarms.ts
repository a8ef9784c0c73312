import type { Command } from "@ledge/model";
import { Id, UserAlarm } from "@ledge/model";
import Type from "typebox";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor } from "../submit.ts";

const One = Type.Object({ alarmId: Id });

export const alarms = [
  row({
    method: "GET",
    path: "/alarms",
    summary: "Alarms by id, all or one",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    query: Type.Object({ alarmId: Type.Optional(Type.String()) }),
    result: Type.Record(Type.String(), UserAlarm),
    handle({ caller, query: { alarmId }, language, hub: { kernel } }) {
      if (alarmId === undefined) return kernel.dictionary("alarm", caller, language);
      if (!kernel.readable("alarm", alarmId, caller)) return notFound(`no alarm ${alarmId}`);
      return kernel.dictionary("alarm", caller, language, [alarmId]);
    },
  }),
  row({
    method: "PUT",
    path: "/alarms/close",
    summary: "Closes an alarm, which is kept",
    access: "IDENTIFIED_USER",
    query: One,
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "CLOSE_ALARM", id: call.query.alarmId } as Command], true as const),
  }),
  row({
    method: "DELETE",
    path: "/alarms",
    summary: "Removes an alarm for good",
    access: "IDENTIFIED_USER",
    query: One,
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "DELETE_ALARM", id: call.query.alarmId } as Command], true as const),
  }),
];
