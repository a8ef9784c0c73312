import { Notification, notifications as routed } from "@ledge/model";
import Type from "typebox";
import { row } from "../row.ts";

export const notifications = [
  row({
    method: "GET",
    path: "/notifications",
    summary: "Alarms and alerts that are open, the newest first, each with the clients that have not seen it",
    access: "USER_ADMIN",
    past: "USER_ADMIN",
    result: Type.Array(Notification),
    handle({ caller, hub: { kernel } }) {
      return routed(kernel).filter(({ category, id }) => kernel.readable(category, id, caller));
    },
  }),
];
