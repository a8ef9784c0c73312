import { ask, type CliCommand, CliError, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { SigningKeyOverview } from "../keys/signing-keys.ts";

export const keys: CliCommand = {
  words: "keys",
  usage: "",
  summary: "Lists the keys with which the cloud signs",
  async run(invocation) {
    const found = await ask<SigningKeyOverview[]>(invocation, "GET", "/console/keys");
    const rows = found.map(({ kid, from, until, signs }) => [
      kid,
      signs ? "yes" : "no",
      new Date(from).toISOString(),
      until === null ? "-" : new Date(until).toISOString(),
    ]);
    const header = ["KID", "SIGNS", "FROM", "PUBLISHED UNTIL"];
    invocation.print(invocation.json ? JSON.stringify(found) : table(header, rows));
    return exitCodes.done;
  },
};

export const keysRotate: CliCommand = {
  words: "keys rotate",
  usage: "[--urgent]",
  summary: "Makes a key that signs once hubs have had the time to read it",
  options: {
    urgent: { type: "boolean", help: "it signs at once; hubs refuse that until they have read it" },
  },
  async run(invocation) {
    const urgent = invocation.options["urgent"] === true;
    const found = await ask<{ kid: string; from: number }>(invocation, "POST", "/console/keys/rotate", {
      urgent,
    });
    const { kid, from } = found;
    invocation.print(
      invocation.json ? JSON.stringify(found) : `${kid} signs from ${new Date(from).toISOString()} on`,
    );
    return exitCodes.done;
  },
};

export const keysWithdraw: CliCommand = {
  words: "keys withdraw",
  usage: "KID",
  summary: "Ends a key that others may have: what it has signed counts no more. Rotate with --urgent first",
  async run(invocation) {
    const [kid, ...more] = invocation.positionals;
    if (kid === undefined || more.length > 0) throw new CliError(exitCodes.usage, "which key?");
    await ask(invocation, "POST", "/console/keys/withdraw", { kid });
    const said = `${kid} is withdrawn: people log in and fetch their keys again, hubs hear of it within minutes`;
    invocation.print(invocation.json ? "true" : said);
    return exitCodes.done;
  },
};
