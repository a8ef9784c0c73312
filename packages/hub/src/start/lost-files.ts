import type { FolderSealing } from "@ledge/host/sealing";
import type { Kernel } from "@ledge/kernel";
import { type AlarmCommand, type AlarmKind, alarmId } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import type { Notes } from "../notes/notes.ts";

/** A file of the data folder that is lost according to the log: missing, damaged, or another hub's. */
export interface LostFile {
  readonly file: string;
  readonly problem: string;
  /** The action that a person can take. */
  readonly remedy: string;
  readonly alarm: AlarmKind;
}

/** Alarms that close when the file is back. */
const alarms: readonly AlarmKind[] = ["IDENTITY_LOST", "NAMES_LOST", "SECRETS_LOST"];

/**
 * Returns the lost keys of a data folder.
 * @param identityProblem the reason why there is no identity key; undefined when there is one
 */
export function lostFiles(
  { personalKeys, secrets }: Pick<FolderSealing, "personalKeys" | "secrets">,
  kernel: Pick<Kernel, "all">,
  identityProblem: string | undefined,
): LostFile[] {
  const lost: LostFile[] = [];
  if (identityProblem !== undefined)
    lost.push({
      file: "identity-key.json",
      problem: identityProblem,
      remedy: 'put the file back and restart the hub, or see "ledge identity --help"',
      alarm: "IDENTITY_LOST",
    });
  const problem = secrets.problem();
  if (problem !== undefined)
    lost.push({
      file: "secret-key",
      problem: `secrets that adapters keep cannot be read: ${problem}`,
      remedy: "put the file back and restart the hub, or set up the adapters anew",
      alarm: "SECRETS_LOST",
    });
  const unnamed = namesProblem(personalKeys, kernel);
  if (unnamed !== undefined)
    lost.push({
      file: "personal-keys.json",
      problem: `personal keys: ${unnamed}`,
      remedy: "put the file back and restart the hub, restore a backup, or have names entered anew",
      alarm: "NAMES_LOST",
    });
  return lost;
}

/** Returns the reason why names are blank. Every user who was not forgotten has a key since their first event. */
export function namesProblem(
  keys: FolderSealing["personalKeys"],
  kernel: Pick<Kernel, "all">,
): string | undefined {
  if (keys.damage !== undefined) return keys.damage;
  const without = [...kernel.all("user")].filter(
    ([id, { forgotten }]) => !forgotten && keys.get(id) === undefined,
  );
  return without.length === 0 ? undefined : `${without.length} users have none`;
}

/** Raises an alarm for each lost file, and closes the alarms of files that are back. */
export function alarmOfLostFiles(
  lost: readonly LostFile[],
  { kernel, notes, hubId }: { readonly kernel: Kernel; readonly notes: Notes; readonly hubId: string },
): void {
  for (const { alarm, problem } of lost) void alarmOfHub(kernel, notes, hubId, alarm, problem);
  for (const kind of alarms) {
    const id = alarmId(kind, hubId);
    const isOpen = kernel.get("alarm", id)?.closed === false;
    const close: AlarmCommand = { type: "CLOSE_ALARM", id };
    if (isOpen && !lost.some(({ alarm }) => alarm === kind)) void notes.note(close);
  }
}
