import type { Kernel } from "@ledge/kernel";
import { type AlarmCommand, alarmId, type AlarmKind, type RaiseAlarm } from "@ledge/model";
import type { Notes } from "./notes.ts";

/**
 * Raises an alarm about the hub itself. Alarms about adapters and devices come from reactions to
 * their events. When the hub cannot write now, it records the alarm later.
 *
 * Resolves when the alarm is stored or kept for later.
 * @param detail the cause, as the alarm shows it
 */
export function alarmOfHub(
  kernel: Kernel,
  notes: Notes,
  hubId: string,
  kind: AlarmKind,
  detail: string,
): Promise<void> {
  const { name = hubId } = kernel.get("hub", hubId) ?? {};
  const command: RaiseAlarm = { type: "RAISE_ALARM", kind, sourceId: hubId, name, facts: { detail } };
  return notes.note(command);
}

/** Raises an alarm about a full disk as soon as it can be recorded. */
export function alarmOfFullDisk(kernel: Kernel, notes: Notes, hubId: string): void {
  let detail = kernel.health.state === "read-only" ? kernel.health.reason : null;
  kernel.subscribe({
    stateChanged: (state) => {
      if (state === "read-only") detail = kernel.health.reason;
      if (state !== "serving" || detail === null) return;
      void alarmOfHub(kernel, notes, hubId, "DISK_FULL", detail);
      detail = null;
    },
  });
}

/** Raises an alarm while the log exceeds its quota although it was pruned, and closes it afterwards. */
export function alarmOfQuota(kernel: Kernel, notes: Notes, hubId: string, isExceeded: boolean): void {
  const kind = "LOG_OVER_QUOTA";
  const id = alarmId(kind, hubId);
  const isOpen = kernel.get("alarm", id)?.closed === false;
  if (isOpen === isExceeded) return;
  if (!isExceeded) {
    const close: AlarmCommand = { type: "CLOSE_ALARM", id };
    void notes.note(close);
    return;
  }
  const { name = hubId } = kernel.get("hub", hubId) ?? {};
  const { usedBytes, quotaBytes } = kernel.retention;
  const facts = {
    usedMebibytes: Math.ceil(usedBytes / 1_048_576),
    quotaMebibytes: Math.floor((quotaBytes ?? 0) / 1_048_576),
  };
  const raise: RaiseAlarm = { type: "RAISE_ALARM", kind, sourceId: hubId, name, facts };
  void notes.note(raise);
}
