import { featureName, features } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import type { CliCommand } from "./command.ts";
import { ask, CliError, exitCodes } from "./command.ts";

export const featureCode: CliCommand = {
  words: "feature-code",
  usage: "FEATURE...",
  summary:
    "Prints an activation code for features of this hub, by name or number (development profiles only)",
  async run(invocation) {
    const { positionals } = invocation;
    if (positionals.length === 0) throw new CliError(exitCodes.usage, "which features?");
    const wanted = positionals.flatMap((text) => text.split(",")).map(codeOf);
    const path = `${apiPrefix}/console/feature-code`;
    const { code } = await ask<{ code: string }>(invocation, "POST", path, { features: wanted });
    invocation.print(invocation.json ? JSON.stringify({ code }) : code);
    return exitCodes.done;
  },
};

function codeOf(text: string): number {
  const code = /^\d{1,3}$/.test(text)
    ? Number(text)
    : Object.entries(features).find(([name]) => name === text)?.[1];
  if (code === undefined || featureName(code) === undefined)
    throw new CliError(exitCodes.usage, `no feature ${text}: one of ${Object.keys(features).join(", ")}`);
  return code;
}
