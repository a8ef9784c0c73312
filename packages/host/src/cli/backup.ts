import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Made } from "../backup/make.ts";
import { makeBackup } from "../backup/make.ts";
import type { BackupSubject } from "../backup/subject.ts";
import type { CliCommand, Invocation } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";
import { optionsFor, passphraseOf } from "./passphrase.ts";
import { size } from "./print.ts";

/**
 * Makes the command `backup` of a program.
 * @param path the console's row that answers with `backupSource`
 */
export function backupCommand(subject: BackupSubject, path: string): CliCommand {
  const { kind, needsSecrets } = subject;
  return {
    words: "backup",
    usage: `FILE ${needsSecrets ? "--passphrase-file F" : "(--passphrase-file F | --without-secrets)"} [--force]`,
    summary: `Writes a backup of the ${kind} into one file, whether or not it is running`,
    options: {
      ...optionsFor(subject),
      force: { type: "boolean", help: "replace FILE if it exists" },
    },
    check(asked) {
      check(subject, asked);
    },
    async run(invocation) {
      const { positionals, folder, json, print, interrupted } = invocation;
      const file = resolve(positionals[0] ?? "");
      const passphrase = passphraseOf(invocation);
      let made: Made;
      try {
        const lines = invocation.console.lines(path, interrupted);
        const now = Date.now();
        made = await makeBackup({ subject, lines, folder, file, passphrase, now, signal: interrupted });
      } catch (error) {
        const isFile = (error as NodeJS.ErrnoException).syscall !== undefined;
        if (isFile) throw new CliError(exitCodes.unwritable, `${file}: ${(error as Error).message}`);
        throw error;
      }
      const secrets = passphrase === undefined ? "left-out" : "sealed";
      if (json) {
        const { bytes, files, summary } = made;
        const { hubId, issuer, release } = made.head;
        print(JSON.stringify({ file, bytes, hubId, issuer, release, ...summary, secrets, files }));
      } else describe(print, file, made, secrets);
      return exitCodes.done;
    },
  };
}

function check(
  { kind, needsSecrets }: BackupSubject,
  { positionals, options }: Pick<Invocation, "positionals" | "options">,
): void {
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new CliError(exitCodes.usage, "backup FILE");
  const passphrase = passphraseOf({ options });
  if (passphrase === undefined && options["without-secrets"] !== true) {
    const otherwise = needsSecrets ? "" : ", --without-secrets leaves them out";
    throw new CliError(exitCodes.usage, `a ${kind} has keys: --passphrase-file F seals them${otherwise}`);
  }
  const there = statSync(name, { throwIfNoEntry: false });
  // Replacing a device such as /dev/null would remove it for every program.
  if (there?.isFile() === false)
    throw new CliError(exitCodes.refused, `${name} exists and is not a regular file`);
  if (options["force"] !== true && there !== undefined)
    throw new CliError(exitCodes.refused, `${name} exists already: --force replaces it`);
}

function describe(
  print: Invocation["print"],
  file: string,
  { summary, bytes, files }: Made,
  secrets: "left-out" | "sealed",
): void {
  const until = new Date(summary.last).toISOString();
  print(`${file}: ${summary.commits} commits, ${summary.events} events up to ${until}, ${size(bytes)}`);
  print(
    secrets === "sealed"
      ? "Secrets are sealed: without the passphrase nobody can restore them, you included."
      : `Secrets are left out: names and addresses of users, keys that adapters keep${files.map((path) => `, ${path}`).join("")}.`,
  );
}
