import { resolve } from "node:path";
import { BackupError } from "../backup/format.ts";
import { readHeader } from "../backup/reader.ts";
import type { Restored } from "../backup/restore.ts";
import { FolderTakenError, restoreBackup } from "../backup/restore.ts";
import type { BackupSubject } from "../backup/subject.ts";
import { LockedError } from "../lock.ts";
import type { CliCommand, Invocation } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";
import { optionsFor, passphraseOf } from "./passphrase.ts";

/** Makes the command `restore` of a program. */
export function restoreCommand(subject: BackupSubject): CliCommand {
  const { kind, needsSecrets } = subject;
  return {
    words: "restore",
    usage: `FILE [--passphrase-file F${needsSecrets ? "" : " | --without-secrets"}] [--force]`,
    summary: `Restores the ${kind} of a backup into the data folder, after it has been verified`,
    options: {
      ...optionsFor(subject),
      force: { type: "boolean", help: "move the contents of the data folder aside, under a dated name" },
    },
    standalone: true,
    check({ positionals, options }) {
      if (positionals.length !== 1) throw new CliError(exitCodes.usage, "restore FILE");
      passphraseOf({ options });
    },
    async run(invocation) {
      const restored = await restoreFor(subject, invocation, resolve(invocation.positionals[0] ?? ""));
      if (invocation.json) {
        const { header, summary, ...rest } = restored;
        const { hubId, issuer, release, timestamp } = header;
        const { folder } = invocation;
        invocation.print(JSON.stringify({ folder, hubId, issuer, release, timestamp, ...summary, ...rest }));
      } else describe(subject, invocation, restored);
      return exitCodes.done;
    },
  };
}

async function restoreFor(
  subject: BackupSubject,
  { options, folder }: Invocation,
  file: string,
): Promise<Restored> {
  const passphrase = passphraseOf({ options });
  try {
    const isSealed = readHeader(file).key !== undefined;
    if (isSealed && passphrase === undefined && options["without-secrets"] !== true) {
      const otherwise = subject.needsSecrets ? "" : ", --without-secrets leaves them";
      throw new CliError(
        exitCodes.usage,
        `${file} has sealed secrets: --passphrase-file F opens them${otherwise}`,
      );
    }
    const force = options["force"] === true;
    return await restoreBackup({ subject, file, folder, passphrase, force, now: Date.now() });
  } catch (error) {
    throw asCliError(error);
  }
}

/** Turns an error about a file or folder into one with an exit code. */
export function asCliError(error: unknown): unknown {
  if (error instanceof BackupError) {
    const code = error.problem === "damaged" ? exitCodes.damaged : exitCodes.refused;
    return new CliError(code, error.message);
  }
  if (error instanceof FolderTakenError || error instanceof LockedError)
    return new CliError(exitCodes.refused, error.message);
  return error;
}

function describe(subject: BackupSubject, { folder, print }: Invocation, restored: Restored): void {
  const { header, summary, aside, secrets, compared } = restored;
  const until = new Date(header.timestamp).toISOString();
  print(`${folder}: ${summary.commits} commits, ${summary.events} events up to ${until}`);
  print(
    compared
      ? "Replayed: the states are those that were backed up."
      : `Replayed; release ${header.release} made the backup, so its states cannot be compared with these.`,
  );
  if (aside !== undefined) print(`What was there is in ${aside}.`);
  if (secrets === "left-out")
    print("Secrets are not restored: keys must be issued anew, and nobody's name or address is known.");
  if (secrets === "none")
    print("The backup holds no secrets: keys must be issued anew, and nobody's name or address is known.");
  print(subject.restored);
}
