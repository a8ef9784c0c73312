import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Made } from "../backup/make.ts";
import { makeBackup } from "../backup/make.ts";
import { apiPrefix } from "../version.ts";
import type { CliCommand } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";
import { passphraseOf, passphraseOptions } from "./passphrase.ts";
import { size } from "./print.ts";

export const backup: CliCommand = {
  words: "backup",
  usage: "FILE (--passphrase-file F | --without-secrets) [--force]",
  summary: "Writes all that the hub is into one file, while it runs or not",
  options: {
    ...passphraseOptions,
    force: { type: "boolean", help: "replace FILE if it is there" },
  },
  check({ positionals, options }) {
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) throw new CliError(exitCodes.usage, "backup FILE");
    const passphrase = passphraseOf({ options });
    if (passphrase === undefined && options["without-secrets"] !== true) {
      throw new CliError(
        exitCodes.usage,
        "a hub has keys: --passphrase-file F seals them, --without-secrets leaves them out",
      );
    }
    const there = statSync(name, { throwIfNoEntry: false });
    // A device such as /dev/null would be gone for every program.
    if (there?.isFile() === false) throw new CliError(exitCodes.refused, `${name} is there and is no file`);
    if (options["force"] !== true && there !== undefined)
      throw new CliError(exitCodes.refused, `${name} is there already: --force replaces it`);
  },
  async run(invocation) {
    const { positionals, folder, json, print, interrupted } = invocation;
    const file = resolve(positionals[0] ?? "");
    const passphrase = passphraseOf(invocation);
    let made: Made;
    try {
      const lines = invocation.console.lines(`${apiPrefix}/console/backup`, interrupted);
      const now = Date.now();
      made = await makeBackup({ lines, folder, file, passphrase, now, signal: interrupted });
    } catch (error) {
      const isFile = (error as NodeJS.ErrnoException).syscall !== undefined;
      if (isFile) throw new CliError(exitCodes.unwritable, `${file}: ${(error as Error).message}`);
      throw error;
    }
    const { head, summary, bytes, files } = made;
    const secrets = passphrase === undefined ? "left-out" : "sealed";
    if (json) {
      const { hubId, release } = head;
      print(JSON.stringify({ file, bytes, hubId, release, ...summary, secrets, files }));
      return exitCodes.done;
    }
    const until = new Date(summary.last).toISOString();
    print(`${file}: ${summary.commits} commits, ${summary.events} events up to ${until}, ${size(bytes)}`);
    print(
      secrets === "sealed"
        ? "Secrets are sealed: without the passphrase nobody can restore them, you included."
        : `Secrets are left out: names and addresses of users, keys that adapters keep${files.map((path) => `, ${path}`).join("")}.`,
    );
    return exitCodes.done;
  },
};
