import { type Command, limits } from "@ledge/model";
import Type from "typebox";
import { respondAs } from "../json.ts";
import type { BackupFile } from "../ports.ts";
import { notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submit } from "../submit.ts";

/** A backup that the hub keeps. */
const Backup = Type.Object({
  type: Type.Literal("BACKUP"),
  name: Type.String(),
  /** When it was made (ms since the epoch), and by which release. */
  at: Type.Integer(),
  release: Type.String(),
  bytes: Type.Integer(),
  /** Sealed with a passphrase; else they are left out. */
  hasSecrets: Type.Boolean(),
});
type Backup = Type.Static<typeof Backup>;

/** A passphrase must not pass through a cloud, and who has backup and passphrase has all keys of the hub. */
const owners = { access: "OWNER_ADMIN", remote: "refused" } as const;

export const backups = [
  row({
    method: "POST",
    path: "/hub/backup",
    summary: "Makes a backup of the hub, whose secrets a passphrase seals, and keeps it; the oldest goes",
    ...owners,
    body: Type.Object({
      passphrase: Type.String({
        minLength: limits.backupPassphraseChars,
        maxLength: limits.backupPassphraseMostChars,
        pattern: "^[^\\r\\n]*$",
      }),
    }),
    result: Backup,
    async handle(call) {
      const made = await call.hub.backups.make(call.body.passphrase);
      if (made instanceof Refused) return made;
      return (await noted(call, "made", made.name)) ?? shown(made);
    },
  }),
  row({
    method: "GET",
    path: "/hub/backups",
    summary: "Backups that the hub keeps, the newest first",
    ...owners,
    result: Type.Array(Backup),
    handle: ({ hub }) => hub.backups.list().map(shown),
  }),
  row({
    method: "GET",
    path: "/hub/backup",
    summary: "A backup as a file, for ledge restore",
    ...owners,
    query: Type.Object({ name: Type.String({ maxLength: limits.nameChars }) }),
    stream: true,
    contentType: "application/octet-stream",
    result: Type.String(),
    async handle(call) {
      const { name } = call.query;
      if (!call.hub.backups.list().some((one) => one.name === name)) return notFound(`no backup ${name}`);
      const refused = await noted(call, "read", name);
      if (refused !== undefined) return refused;
      const stream = call.hub.backups.read(name);
      return stream === undefined
        ? notFound(`no backup ${name}`)
        : respondAs("application/octet-stream", stream);
    },
  }),
];

function shown(file: BackupFile): Backup {
  return { type: "BACKUP", ...file };
}

/** Writes down who has a backup, before they have it. */
async function noted(call: Call, act: "made" | "read", name: string): Promise<Refused | undefined> {
  const done = await submit(call, [{ type: "NOTE_BACKUP", id: call.hub.hubId, act, name } as Command]);
  return done instanceof Refused ? done : undefined;
}
