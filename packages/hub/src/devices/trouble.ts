import type { Kernel } from "@ledge/kernel";
import { type AlarmCommand, alarmId, type RaiseAlarm } from "@ledge/model";
import type { RadioTrouble } from "@ledge/port";
import type { Notes } from "../notes/notes.ts";

const kind = "RADIO_JAMMED";

type Reader = Pick<Kernel, "get">;
type Writer = Pick<Notes, "note">;

/**
 * Raises the alarm about what keeps an adapter's radio from its devices, unless it is open, or closes it. Resolves
 * when that is stored or kept for later.
 */
export async function noteTrouble(
  protocol: string,
  trouble: RadioTrouble | null,
  kernel: Reader,
  notes: Writer,
): Promise<void> {
  const close: AlarmCommand = { type: "CLOSE_ALARM", id: alarmId(kind, protocol) };
  const raise: RaiseAlarm = { type: "RAISE_ALARM", kind, sourceId: protocol, name: protocol };
  if (trouble === null) await notes.note(close);
  else if (!isOpen(protocol, kernel)) await notes.note(raise);
}

/** Closes the alarm: while an adapter does not run, nobody knows of its radio, and other alarms say so. */
export async function endTrouble(protocol: string, kernel: Reader, notes: Writer): Promise<void> {
  if (isOpen(protocol, kernel)) await noteTrouble(protocol, null, kernel, notes);
}

function isOpen(protocol: string, kernel: Reader): boolean {
  return kernel.get("alarm", alarmId(kind, protocol))?.closed === false;
}
