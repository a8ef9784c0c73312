import { resolve } from "node:path";
import { readBackup, readHeader, verifyBackup } from "@ledge/host/backup/reader";
import { deriveKey } from "@ledge/host/backup/seal";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";
import { passphraseOf, passphraseOptions } from "@ledge/host/cli/passphrase";
import { asCliError } from "@ledge/host/cli/restore";
import { identityFile } from "../secrets/identity-key.ts";
import { apiPrefix } from "../version.ts";

const { "passphrase-file": passphraseFile } = passphraseOptions;

export const identity: CliCommand = {
  words: "identity",
  usage: "[--new --yes | --newest --yes | --backup FILE --passphrase-file F]",
  summary: "Shows the hub's identity key, puts a lost one back, makes a new one, or settles whose link it is",
  options: {
    new: {
      type: "boolean",
      help: "make a new key: the hub's cloud knows the old one, and lets the hub in again when it is released there",
    },
    newest: {
      type: "boolean",
      help: "of two hubs with this identity the cloud keeps to this one from now on",
    },
    yes: { type: "boolean", help: "do it" },
    backup: { type: "string", help: "put the key of this backup back" },
    "passphrase-file": passphraseFile,
  },
  check({ options }) {
    const asked = ["new", "newest", "backup"].filter((name) => options[name] !== undefined);
    if (asked.length > 1) throw new CliError(exitCodes.usage, `--${asked.join(" or --")}, not both`);
    const needsYes = options["new"] === true || options["newest"] === true;
    if (needsYes !== (options["yes"] === true))
      throw new CliError(exitCodes.usage, "--new, or --newest, and --yes go together");
    if ((options["backup"] === undefined) !== (passphraseOf({ options }) === undefined))
      throw new CliError(exitCodes.usage, "--backup FILE and --passphrase-file F go together");
  },
  async run(invocation) {
    const { options, json, print } = invocation;
    if (options["newest"] === true) return makeNewest(invocation);
    if (options["new"] !== true && options["backup"] === undefined) return show(invocation);
    const body = options["new"] === true ? {} : { key: await keyInBackup(invocation) };
    const { fingerprint } = await ask<Identity>(invocation, "POST", `${apiPrefix}/console/identity`, body);
    print(json ? JSON.stringify({ fingerprint }) : `The hub's identity key is ${fingerprint}.`);
    return exitCodes.done;
  },
};

async function makeNewest(invocation: Invocation): Promise<number> {
  const { json, print } = invocation;
  const path = `${apiPrefix}/console/generation`;
  const { generation } = await ask<{ generation: number }>(invocation, "POST", path);
  const said = "Of the hubs with this identity the cloud keeps to this one. Turn the other off.";
  print(json ? JSON.stringify({ generation }) : said);
  return exitCodes.done;
}

interface Identity {
  readonly fingerprint: string | null;
  readonly problem: string | null;
}

async function show(invocation: Invocation): Promise<number> {
  const { json, print } = invocation;
  const { identity: found } = await ask<{ identity: Identity }>(
    invocation,
    "GET",
    `${apiPrefix}/console/status`,
  );
  if (json) print(JSON.stringify(found));
  else print(found.problem ?? `The hub's identity key is ${found.fingerprint}.`);
  return found.problem === null ? exitCodes.done : exitCodes.unhealthy;
}

/** @throws CliError */
async function keyInBackup({ options }: Invocation): Promise<string> {
  const file = resolve(String(options["backup"]));
  try {
    const { key: derivation } = readHeader(file);
    const { damage } = verifyBackup(file);
    if (damage !== undefined) throw new CliError(exitCodes.damaged, damage.problem);
    if (derivation === undefined) throw new CliError(exitCodes.refused, `${file} holds no secrets`);
    const key = await deriveKey(passphraseOf({ options }) ?? "", derivation);
    for (const part of readBackup(file, key)) {
      const found = "files" in part ? part.files.find(({ path }) => path === identityFile) : undefined;
      if (found !== undefined) return Buffer.from(found.base64, "base64").toString();
    }
  } catch (error) {
    throw asCliError(error);
  }
  throw new CliError(exitCodes.refused, `${file} holds no ${identityFile}`);
}
