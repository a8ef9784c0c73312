import type { AlarmCommand, DeviceReported, Reaction } from "@ledge/model";
import { alarmId } from "@ledge/model";
import { closing } from "./alarms.ts";

const kind = "DEVICE_CERTIFICATE";

/** Raises an alarm while a device shows another certificate than the one that was pinned when it was paired. */
export const deviceCertificate: Reaction = {
  name: "device certificate",
  on: ["DeviceReported", "DeviceRemoved", "DeviceVisibilitySet"],
  react(event, read): readonly AlarmCommand[] {
    const { id } = event;
    const alarm = read.get("alarm", alarmId(kind, id));
    const { name = id, visible = true } = read.get("device", id) ?? {};
    const raise = { type: "RAISE_ALARM", kind, sourceId: id, name, hidden: !visible } as const;
    if (event.type === "DeviceRemoved") return closing(read, id, kind);
    if (event.type === "DeviceVisibilitySet") {
      if (alarm === undefined) return [];
      return alarm.closed ? [{ type: "DELETE_ALARM", id: alarm.id }] : [{ ...raise, count: 0 }];
    }
    const { connectionState } = (event as DeviceReported).attributes;
    if (connectionState === undefined) return [];
    if (connectionState !== "CERTIFICATE") return closing(read, id, kind);
    return alarm?.closed === false ? [] : [raise];
  },
};
