import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { setImmediate, setTimeout } from "node:timers/promises";
import { isServed, LockedError } from "../lock.ts";
import { keepDebuggerShut } from "../start.ts";
import { terminalJson, terminalLine } from "../terminal.ts";
import { type Console, isUnanswered, socketConsole } from "./client.ts";
import type { CliCommand, Invocation } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";

/** A command line program about a data folder and the process that runs on it. */
export interface Program {
  readonly name: string;
  readonly release: string;
  /** All commands, in the order of the help. */
  readonly commands: readonly CliCommand[];
  /** What the program is about, such as `hub`. */
  readonly subject: string;
  /** The default data folder, relative to the working folder. */
  readonly folder: string;
  /**
   * Opens the console of a folder on which no process runs.
   * @throws CliError when the folder is empty, LockedError when a process has just started
   */
  openStopped(folder: string): Promise<Console>;
}

/** Why the output did not arrive. A reader that has seen enough (`| head`) is not an error. */
let unwritable: NodeJS.ErrnoException | undefined;
const interruption = new AbortController();
/** How often, and at what longest interval (ms), to retry a folder that another command holds. */
const triesMax = 60;
const retryMs = 500;

/** Runs the command of this process's arguments, and sets the exit code. */
export async function runProgram(program: Program): Promise<void> {
  keepDebuggerShut();
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") unwritable ??= error;
    interruption.abort();
  });
  process.exitCode = await main(program, process.argv.slice(2));
  await printed(program);
}

async function main(program: Program, args: readonly string[]): Promise<number> {
  const { name, commands, release } = program;
  const [first] = args;
  if (first === "--version") return say(release);
  if (first === undefined || first === "--help" || first === "help") return say(help(program));
  // Of `users` and `users forget` the longer match wins.
  const command = commands
    .toSorted((a, b) => b.words.length - a.words.length)
    .find(({ words }) => `${args.join(" ")} `.startsWith(`${words} `));
  if (command === undefined)
    return fail(program, exitCodes.usage, `no command ${args.join(" ")}: see ${name} --help`);
  try {
    return await run(program, command, args.slice(command.words.split(" ").length));
  } catch (error) {
    if (error instanceof CliError) return fail(program, error.exitCode, error.message);
    if ((error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS"))
      return fail(program, exitCodes.usage, (error as Error).message);
    return fail(program, exitCodes.unavailable, (error as Error).message);
  }
}

async function run(program: Program, command: CliCommand, args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: args.map(agoOf),
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        Object.entries(command.options ?? {}).map(([name, { type, multiple = false }]) => [
          name,
          { type, multiple },
        ]),
      ),
      data: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values["help"] === true) return say(helpFor(program, command));
  if (positionals.length > 0 && !takesArguments(command))
    throw new CliError(exitCodes.usage, `${command.words} takes options only, not ${positionals.join(" ")}`);
  command.check?.({ positionals, options: values });
  const folder = typeof values["data"] === "string" ? resolve(values["data"]) : resolve(program.folder);
  process.once("SIGINT", () => interruption.abort());
  let hasPrinted = false;
  const isJson = values["json"] === true;
  const invocation = {
    folder,
    positionals,
    options: values,
    json: isJson,
    print: (text: string | readonly string[]) => {
      hasPrinted = true;
      const lines = [text].flat();
      process.stdout.write(
        lines.map((line) => `${isJson ? terminalJson(line) : terminalLine(line)}\n`).join(""),
      );
    },
    interrupted: interruption.signal,
  };
  for (let tries = 1; ; tries++) {
    try {
      return await runWith(program, command, invocation);
    } catch (error) {
      // Another command holds the folder for a moment, or the process has just left.
      const isPassing = error instanceof LockedError || isUnanswered(error);
      if (!isPassing || hasPrinted || tries === triesMax) throw error;
      await setTimeout(retryMs * Math.random());
    }
  }
}

/** `-2h` is a time, not an option. */
function agoOf(argument: string): string {
  return argument.replace(/^-(\d+(?:s|min|m|h|d|w))$/, "$1 ago");
}

/** The usage lists arguments first, in capitals. */
function takesArguments({ usage }: CliCommand): boolean {
  return /^\[?[A-Z]/.test(usage);
}

async function runWith(
  program: Program,
  command: CliCommand,
  invocation: Omit<Invocation, "console">,
): Promise<number> {
  const { folder } = invocation;
  const isRunning = command.standalone === true || (await isServed(folder));
  const console = isRunning ? socketConsole(folder) : await program.openStopped(folder);
  try {
    return await command.run({ ...invocation, console });
  } finally {
    await console.close();
  }
}

/** Resolves when all output has arrived, or is known to have failed. */
async function printed(program: Program): Promise<void> {
  await new Promise<void>((arrived) => process.stdout.write("", () => arrived()));
  await setImmediate();
  if (unwritable !== undefined) process.exitCode = fail(program, exitCodes.unwritable, unwritable.message);
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitCodes.done;
}

function fail({ name }: Program, exitCode: number, message: string): number {
  process.stderr.write(`${name}: ${terminalLine(message)}\n`);
  return exitCode;
}

function help({ name, commands, subject, folder }: Program): string {
  const lines = commands.map(
    ({ words, usage, summary }) => `  ${`${words} ${usage}`.trim()}\n      ${summary}`,
  );
  return [
    `usage: ${name} COMMAND [OPTIONS]`,
    "",
    ...lines,
    "",
    `every command: --data DIR (default ${folder}), --json, --help`,
    `exit codes: 0 done, 1 something is wrong with the ${subject}, 2 wrong usage, 3 refused, 4 no ${subject} to ask,`,
    "            5 a log or a backup is damaged, 74 the output cannot be written",
  ].join("\n");
}

function helpFor({ name: program, folder }: Program, command: CliCommand): string {
  const { words, usage, summary, options = {} } = command;
  const lines = Object.entries(options).map(([name, option]) => `  --${name.padEnd(8)} ${option.help}`);
  return [
    `usage: ${program} ${`${words} ${usage}`.trim()} [--data DIR] [--json]`,
    summary,
    ...lines,
    `  --data     the data folder (default ${folder})`,
    "  --json     JSON instead of text",
  ].join("\n");
}
