import { terminalLine } from "./terminal.ts";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** A program and how it reads its arguments. */
export interface Program<Flags extends ParseArgsOptionsConfig, Options> {
  readonly flags: Flags & { readonly help: { readonly type: "boolean" } };
  readonly usage: string;
  /** Returns the options to run with, or what is wrong with the arguments. */
  readonly optionsOf: (values: ValuesOf<Flags>) => Options | string;
  /**
   * Runs the program.
   * @returns the exit code
   */
  readonly run: (options: Options) => Promise<number>;
}

export type ValuesOf<Flags extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Flags }>
>["values"];

/**
 * Runs a program with the arguments of this process.
 * @returns the exit code: 2 for wrong usage, with a message on stderr
 */
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
 * Keeps Node from opening its debugger when this process gets SIGUSR1: any process that may send signals,
 * such as a confined child, could otherwise use it.
 */
export function keepDebuggerShut(): void {
  process.on("SIGUSR1", () => {});
}

function refuse(message: string): number {
  process.stderr.write(message);
  return 2;
}
