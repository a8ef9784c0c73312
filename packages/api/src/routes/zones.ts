import { CmdZone, type Command, Id, Zone } from "@ledge/model";
import Type from "typebox";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor, submitForObjects } from "../submit.ts";

/** Zones are in the poll of hub-api 2.2, and no row of it makes them: these are added. */
export const zones = [
  row({
    method: "GET",
    path: "/zones",
    summary: "Zones by id, all or one",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    query: Type.Object({ zoneId: Type.Optional(Type.String()) }),
    result: Type.Record(Type.String(), Zone),
    handle({ caller, query: { zoneId }, language, hub: { kernel } }) {
      if (zoneId === undefined) return kernel.dictionary("zone", caller, language);
      if (!kernel.readable("zone", zoneId, caller)) return notFound(`no zone ${zoneId}`);
      return kernel.dictionary("zone", caller, language, [zoneId]);
    },
  }),
  row({
    method: "PUT",
    path: "/zones",
    summary: "Creates and changes zones",
    access: "IDENTIFIED_USER",
    body: CmdZone,
    list: true,
    result: Type.Array(Zone),
    handle: (call) => submitForObjects<Zone>(call, call.body, "zone"),
  }),
  row({
    method: "DELETE",
    path: "/zones",
    summary: "Removes a zone",
    access: "IDENTIFIED_USER",
    query: Type.Object({ zoneId: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "REMOVE_ZONE", id: call.query.zoneId } as Command], true as const),
  }),
];
