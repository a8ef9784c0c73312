import type { Kernel } from "@ledge/kernel";
import type { AdoptKey } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import type { Notes } from "../notes/notes.ts";
import type { HttpsState } from "./https.ts";

/**
 * Records the hub's own certificate in the log. Raises an alarm when it has changed or is unusable, because
 * clients trust the known one.
 */
export function adoptCertificate(
  { fingerprint, lost }: Pick<HttpsState, "fingerprint" | "lost">,
  { kernel, notes, hubId }: { readonly kernel: Kernel; readonly notes: Notes; readonly hubId: string },
): void {
  const known = kernel.get("hub", hubId)?.keys.certificate;
  if (known === undefined) return;
  const changed = fingerprint !== null && known !== null && fingerprint !== known;
  const detail = lost ?? (changed ? `it was ${known} and is ${fingerprint}` : undefined);
  if (detail !== undefined) void alarmOfHub(kernel, notes, hubId, "CERTIFICATE_CHANGED", detail);
  if (fingerprint === null || fingerprint === known) return;
  const adopt: AdoptKey = { type: "ADOPT_KEY", id: hubId, use: "certificate", fingerprint };
  void notes.note(adopt);
}
