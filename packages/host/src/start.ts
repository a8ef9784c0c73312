import { terminalLine } from "./terminal.ts";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** What a program makes of its arguments. */
export interface Program<Flags extends ParseArgsOptionsConfig, Options> {
  readonly flags: Flags & { readonly help: { readonly type: "boolean" } };
  readonly usage: string;
  /** How it is to run, or what is wrong with how it was asked for. */
  readonly optionsOf: (values: ValuesOf<Flags>) => Options | string;
  /** @returns the exit code */
  readonly run: (options: Options) => Promise<number>;
}

export type ValuesOf<Flags extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Flags }>
>["values"];

/** Runs a program as this process was started. @returns the exit code: 2 for wrong usage, which is said on stderr */
export async function start<const Flags extends ParseArgsOptionsConfig, Options>(
  program: Program<Flags, Options>,
): Promise<number> {
  keepDebuggerShut();
  const { flags, usage } = program;
  let values: ValuesOf<Flags>;
  try {
    ({ values } = parseArgs<{ options: Flags }>({ options: flags }));
  } catch (error) {
    return refuse(`${(error as Error).message}\n${usage}`);
  }
  if ("help" in values) {
    process.stdout.write(usage);
    return 0;
  }
  const options = program.optionsOf(values);
  return typeof options === "string" ? refuse(`${terminalLine(options)}\n`) : program.run(options);
}

/**
 * Keeps Node from opening its debugger when this process is sent SIGUSR1: whoever may send signals, such as a process
 * that this one has confined, would be let in.
 */
export function keepDebuggerShut(): void {
  process.on("SIGUSR1", () => {});
}

function refuse(message: string): number {
  process.stderr.write(message);
  return 2;
}
