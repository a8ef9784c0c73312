import type { Kernel } from "@ledge/kernel";
import { type AlarmCommand, alarmId, type AlarmKind, type RaiseAlarm } from "@ledge/model";
import { type RadioTrouble, radioTroubles } from "@ledge/port";
import type { Notes } from "../notes/notes.ts";

const kinds = { jammed: "RADIO_JAMMED", swapped: "STICK_SWAPPED" } as const satisfies Record<
  RadioTrouble,
  AlarmKind
>;

type Reader = Pick<Kernel, "get">;
type Writer = Pick<Notes, "note">;

/**
 * Raises the alarm about what keeps an adapter's radio from its devices, unless it is open, and closes those about
 * anything else. Resolves when that is stored or kept for later.
 */
export async function noteTrouble(
  protocol: string,
  trouble: RadioTrouble | null,
  kernel: Reader,
  notes: Writer,
): Promise<void> {
  for (const each of radioTroubles) {
    const kind = kinds[each];
    const close: AlarmCommand = { type: "CLOSE_ALARM", id: alarmId(kind, protocol) };
    const raise: RaiseAlarm = { type: "RAISE_ALARM", kind, sourceId: protocol, name: protocol };
    if (each !== trouble) await notes.note(close);
    else if (!isOpen(kind, protocol, kernel)) await notes.note(raise);
  }
}

/** Closes the alarms: while an adapter does not run, nobody knows of its radio, and other alarms say so. */
export async function endTrouble(protocol: string, kernel: Reader, notes: Writer): Promise<void> {
  if (Object.values(kinds).some((kind) => isOpen(kind, protocol, kernel)))
    await noteTrouble(protocol, null, kernel, notes);
}

function isOpen(kind: AlarmKind, protocol: string, kernel: Reader): boolean {
  return kernel.get("alarm", alarmId(kind, protocol))?.closed === false;
}
