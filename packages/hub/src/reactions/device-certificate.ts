import type { AlarmCommand, DeviceReported, RaiseAlarm, Reaction, Reader } from "@ledge/model";
import { alarmId } from "@ledge/model";
import { closing } from "./alarms.ts";

const kind = "DEVICE_CERTIFICATE";

/** Raises an alarm while a device shows another certificate than the one that was pinned when it was paired. */
export const deviceCertificate: Reaction = {
  name: "device certificate",
  on: ["DeviceReported", "DeviceRemoved", "DeviceVisibilitySet"],
  react(event, read): readonly AlarmCommand[] {
    const { id } = event;
    if (event.type === "DeviceRemoved") return closing(read, id, kind);
    if (event.type === "DeviceVisibilitySet") return hidden(id, read);
    const { connectionState } = (event as DeviceReported).attributes;
    if (connectionState === undefined) return [];
    if (connectionState !== "CERTIFICATE") return closing(read, id, kind);
    return read.get("alarm", alarmId(kind, id))?.closed === false ? [] : [raising(id, read)];
  },
};

/** Hides the alarm from guests while the device is hidden from them. */
function hidden(id: string, read: Reader): readonly AlarmCommand[] {
  const alarm = read.get("alarm", alarmId(kind, id));
  if (alarm === undefined) return [];
  return alarm.closed ? [{ type: "DELETE_ALARM", id: alarm.id }] : [{ ...raising(id, read), count: 0 }];
}

function raising(id: string, read: Reader): RaiseAlarm {
  const { name = id, visible = true } = read.get("device", id) ?? {};
  return { type: "RAISE_ALARM", kind, sourceId: id, name, hidden: !visible };
}
