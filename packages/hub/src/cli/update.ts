import { resolve } from "node:path";
import type { HubUpdate } from "@ledge/api";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes, printAnswer } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import { apiPrefix } from "../version.ts";

const path = `${apiPrefix}/hub/update`;

export const updateStatus: CliCommand = {
  words: "update status",
  usage: "",
  summary: "How far an update of this machine is, and which release it can go back to",
  run: async (invocation) => shown(invocation, await ask<HubUpdate>(invocation, "GET", path)),
};

export const updateCheck: CliCommand = {
  words: "update check",
  usage: "",
  summary: "Looks whether there is a newer release",
  run: async (invocation) =>
    shown(invocation, await ask<HubUpdate>(invocation, "POST", path, { action: "CHECK" })),
};

export const updateInstall: CliCommand = {
  words: "update install",
  usage: "[FILE]",
  summary: "Installs the newest release, or a bundle; the machine reboots",
  check({ positionals }) {
    if (positionals.length > 1) throw new CliError(exitCodes.usage, "say one bundle, or none");
  },
  async run(invocation) {
    const [file] = invocation.positionals;
    const begun =
      file === undefined
        ? await ask<HubUpdate>(invocation, "POST", path, { action: "INSTALL" })
        : await ask<HubUpdate>(invocation, "POST", `${apiPrefix}/console/update`, { file: resolve(file) });
    return shown(invocation, begun);
  },
};

export const updateRollback: CliCommand = {
  words: "update rollback",
  usage: "[--loses]",
  summary: "Goes back to the previous release; the machine reboots",
  options: {
    loses: { type: "boolean", help: "agrees to lose what the newer release has recorded, if it must" },
  },
  async run(invocation) {
    const { previous } = await ask<HubUpdate>(invocation, "GET", path);
    const since = previous?.losesSince ?? null;
    if (since !== null && invocation.options["loses"] !== true) {
      const when = new Date(since).toISOString();
      throw new CliError(
        exitCodes.usage,
        `release ${previous?.version} cannot read the log: all since ${when} would be lost; say --loses to agree`,
      );
    }
    return shown(invocation, await ask<HubUpdate>(invocation, "POST", path, { action: "ROLL_BACK" }));
  },
};

function shown(invocation: Invocation, update: HubUpdate): number {
  return printAnswer(invocation, update, describe(update));
}

function describe({
  release,
  phase,
  version,
  pctComplete,
  available,
  outcome,
  previous,
}: HubUpdate): string[] {
  const percent = pctComplete === null ? "" : `, ${pctComplete} %`;
  const under = phase === "IDLE" ? [] : [["update", `${phase.toLowerCase()} ${version ?? ""}${percent}`]];
  const last =
    outcome === null
      ? []
      : [
          [
            "last",
            `${outcome.version ?? "an update"} ${said[outcome.result]}, ${new Date(outcome.at).toISOString()}`,
          ],
          ...(outcome.message === null ? [] : [["", outcome.message]]),
        ];
  return table(
    ["release", release],
    [...under, ["newer", available ?? "none known"], ...last, ["previous", previousOf(previous)]],
  );
}

const said = { INSTALLED: "was installed", FAILED: "was not installed", ROLLED_BACK: "was left" } as const;

function previousOf(previous: HubUpdate["previous"]): string {
  if (previous === null) return "none to go back to";
  if (previous.losesSince === null) return `${previous.version}, which reads the log as it is`;
  return `${previous.version}: what was recorded since ${new Date(previous.losesSince).toISOString()} would be lost`;
}
