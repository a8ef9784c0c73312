import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { setImmediate, setTimeout } from "node:timers/promises";
import { isUnanswered, socketConsole } from "./cli/client.ts";
import type { CliCommand, Invocation } from "./cli/command.ts";
import { CliError, exitCodes } from "./cli/command.ts";
import { commands } from "./cli/commands.ts";
import { defaultFolder } from "./folder.ts";
import { isServed, LockedError } from "./lock.ts";
import { openStoppedHub } from "./cli/stopped-hub.ts";
import { release } from "./version.ts";

/** Why what was printed did not arrive, unless the reader has just seen enough (`| head`), which is no error. */
let unwritable: NodeJS.ErrnoException | undefined;
const interruption = new AbortController();
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") unwritable ??= error;
  interruption.abort();
});

/** How often, and after how long at most (ms), a folder that another command holds is tried again. */
const triesMax = 60;
const retryMs = 500;

process.exitCode = await main(process.argv.slice(2));
await printed();

async function main(args: readonly string[]): Promise<number> {
  const [first] = args;
  if (first === "--version") return say(release);
  if (first === undefined || first === "--help" || first === "help") return say(help());
  const command = commands.find(({ words }) => `${args.join(" ")} `.startsWith(`${words} `));
  if (command === undefined) return fail(exitCodes.usage, `no command ${args.join(" ")}: see ledge --help`);
  try {
    return await run(command, args.slice(command.words.split(" ").length));
  } catch (error) {
    if (error instanceof CliError) return fail(error.exitCode, error.message);
    if ((error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS"))
      return fail(exitCodes.usage, (error as Error).message);
    return fail(exitCodes.unavailable, (error as Error).message);
  }
}

async function run(command: CliCommand, args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        Object.entries(command.options ?? {}).map(([name, { type }]) => [name, { type }]),
      ),
      data: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values["help"] === true) return say(helpFor(command));
  if (positionals.length > 0 && !takesArguments(command))
    throw new CliError(exitCodes.usage, `${command.words} takes options only, not ${positionals.join(" ")}`);
  command.check?.({ positionals, options: values });
  const folder = typeof values["data"] === "string" ? resolve(values["data"]) : defaultFolder("sim");
  process.once("SIGINT", () => interruption.abort());
  let hasPrinted = false;
  const invocation = {
    folder,
    positionals,
    options: values,
    json: values["json"] === true,
    print: (text: string) => {
      hasPrinted = true;
      process.stdout.write(`${text}\n`);
    },
    interrupted: interruption.signal,
  };
  for (let tries = 1; ; tries++) {
    try {
      return await runWith(command, invocation);
    } catch (error) {
      // Another command has the folder for a moment, or was just asked and has left.
      const isPassing = error instanceof LockedError || isUnanswered(error);
      if (!isPassing || hasPrinted || tries === triesMax) throw error;
      await setTimeout(retryMs * Math.random());
    }
  }
}

/** Arguments stand first in the usage, in capitals. */
function takesArguments({ usage }: CliCommand): boolean {
  return /^\[?[A-Z]/.test(usage);
}

async function runWith(command: CliCommand, invocation: Omit<Invocation, "console">): Promise<number> {
  const { folder } = invocation;
  const isRunning = command.standalone === true || (await isServed(folder));
  const console = isRunning ? socketConsole(folder) : await openStoppedHub(folder);
  try {
    return await command.run({ ...invocation, console });
  } finally {
    await console.close();
  }
}

/** Resolves when all that was printed has arrived, or is known not to. */
async function printed(): Promise<void> {
  await new Promise<void>((arrived) => process.stdout.write("", () => arrived()));
  await setImmediate();
  if (unwritable !== undefined) process.exitCode = fail(exitCodes.unwritable, unwritable.message);
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitCodes.done;
}

function fail(exitCode: number, message: string): number {
  process.stderr.write(`ledge: ${message}\n`);
  return exitCode;
}

function help(): string {
  const lines = commands.map(
    ({ words, usage, summary }) => `  ${`${words} ${usage}`.trim()}\n      ${summary}`,
  );
  return [
    "usage: ledge COMMAND [OPTIONS]",
    "",
    ...lines,
    "",
    "every command: --data DIR (default .data/sim), --json, --help",
    "exit codes: 0 done, 1 something is wrong with the hub, 2 wrong usage, 3 refused, 4 no hub to ask,",
    "            5 a log or a backup is damaged, 74 what it writes cannot be written",
  ].join("\n");
}

function helpFor({ words, usage, summary, options = {} }: CliCommand): string {
  const lines = Object.entries(options).map(([name, option]) => `  --${name.padEnd(8)} ${option.help}`);
  return [
    `usage: ledge ${`${words} ${usage}`.trim()} [--data DIR] [--json]`,
    summary,
    ...lines,
    "  --data     the data folder (default .data/sim)",
    "  --json     JSON instead of text",
  ].join("\n");
}
