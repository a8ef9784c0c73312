import { ask, type CliCommand, exactlyOne, printAnswer } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { SigningKeyOverview } from "../keys/signing-keys.ts";

export const keys: CliCommand = {
  words: "keys",
  usage: "",
  summary: "Lists the signing keys of the cloud",
  async run(invocation) {
    const found = await ask<SigningKeyOverview[]>(invocation, "GET", "/console/keys");
    const rows = found.map(({ kid, from, until, signs }) => [
      kid,
      signs ? "yes" : "no",
      new Date(from).toISOString(),
      until === null ? "-" : new Date(until).toISOString(),
    ]);
    const header = ["KID", "SIGNS", "FROM", "PUBLISHED UNTIL"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const keysRotate: CliCommand = {
  words: "keys rotate",
  usage: "[--urgent]",
  summary: "Makes a signing key that takes over once hubs have had time to fetch it",
  options: {
    urgent: {
      type: "boolean",
      help: "sign with it at once; hubs refuse its signatures until they have fetched it",
    },
  },
  async run(invocation) {
    const urgent = invocation.options["urgent"] === true;
    const found = await ask<{ kid: string; from: number }>(invocation, "POST", "/console/keys/rotate", {
      urgent,
    });
    const { kid, from } = found;
    return printAnswer(invocation, found, `${kid} signs from ${new Date(from).toISOString()} on`);
  },
};

export const keysWithdraw: CliCommand = {
  words: "keys withdraw",
  usage: "KID",
  summary: "Withdraws a leaked key: its signatures become invalid. Run keys rotate --urgent first",
  check: exactlyOne("which key?"),
  async run(invocation) {
    const [kid = ""] = invocation.positionals;
    await ask(invocation, "POST", "/console/keys/withdraw", { kid });
    const said = `${kid} is withdrawn: users must log in again, and hubs learn of it within minutes`;
    return printAnswer(invocation, true, said);
  },
};
