import { existsSync } from "node:fs";
import { type CliCommand, CliError, exitCodes, printAnswer } from "@ledge/host/cli/command";
import { logFolder } from "@ledge/host/folder";
import { isServed } from "@ledge/host/lock";
import { finishReplacement } from "@ledge/host/replace-folder";
import { storeProblem } from "../settings.ts";

export const importCommand: CliCommand = {
  words: "import",
  usage: "--store URL",
  summary:
    "Copies the cloud of the data folder into a database, from which it runs with --store from then on",
  options: { store: { type: "string", help: "an empty PostgreSQL database, postgres://user@host/database" } },
  standalone: true,
  check({ positionals, options: { store } }) {
    if (positionals.length > 0 || typeof store !== "string")
      throw new CliError(exitCodes.usage, "import --store URL");
    const problem = storeProblem({ store });
    if (problem !== undefined) throw new CliError(exitCodes.usage, problem);
  },
  async run(invocation) {
    const { folder, options } = invocation;
    if (await isServed(folder))
      throw new CliError(exitCodes.unavailable, `a cloud runs on ${folder}: stop it first`);
    finishReplacement(folder);
    if (!existsSync(logFolder(folder)))
      throw new CliError(exitCodes.unavailable, `${folder} has no cloud of its own`);
    const { importFolder } = await import("../storage/import-folder.ts");
    const imported = await importFolder(folder, String(options["store"]));
    const { commits, sources, rows, messages } = imported;
    return printAnswer(invocation, imported, [
      `${commits} commits, ${rows} rows of ${sources} sources and ${messages} messages are in the database.`,
      `What the folder had stands in log.imported and registers.imported; its keys stay: start the cloud with --store.`,
    ]);
  },
};
