import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BackupSubject } from "@ledge/host/backup/subject";
import { replay } from "@ledge/kernel";
import { declared, EpochOpened, upcasters, UserAdded, UserForgotten } from "@ledge/model";
import { goneLog, hubIdOf, profileFile } from "../folder/folder.ts";
import { identityFile } from "../secrets/identity-key.ts";
import { openEpochIn } from "../repair/new-epoch.ts";
import { kernelParts } from "../start/kernel-parts.ts";

/** What a backup needs to know about a hub. */
export const hubSubject: BackupSubject = {
  kind: "hub",
  declared,
  upcasters,
  needsSecrets: false,
  restored: "Every client gets a full answer to its next poll.",
  epochEvent: EpochOpened.type,
  forgetting: { forgotten: UserForgotten.type, added: UserAdded.type },
  layout: {
    settings: new Set(["hub.json", "profile.json"]),
    local: new Set(["run.json", "secret-key"]),
    // The files that adapters keep.
    folders: ["adapters", "modbus.models"],
  },
  goneLog,
  replay: (log) => replay({ ...kernelParts, log }),
  problemIn(folder, { hubId }) {
    if (hubIdOf(folder) !== hubId) return "is of more than one hub";
    return existsSync(profileFile(folder)) ? undefined : "has no profile";
  },
  resume: (folder, since) => {
    const isIdentified = existsSync(join(folder, identityFile));
    const forget = { type: "ADOPT_KEY", use: "identity", fingerprint: null } as const;
    // A restore without secrets means a hub with new keys of its own. The original hub may still run; the newer
    // generation makes the cloud prefer this one.
    const open = { type: "OPEN_GENERATION", above: since.above } as const;
    return openEpochIn(folder, { ...since, commands: isIdentified ? [open] : [open, forget] });
  },
};
