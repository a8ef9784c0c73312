import type { Console } from "./client.ts";

/** The input of a command. */
export interface Invocation {
  readonly console: Console;
  /** The data folder. */
  readonly folder: string;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly json: boolean;
  /** Prints a line or lines; with `--json` the text of one JSON value. */
  readonly print: (text: string | readonly string[]) => void;
  /** Aborts when the user interrupts. */
  readonly interrupted: AbortSignal;
}

/** A command of a program. */
export interface CliCommand {
  /** Its words, such as `events tail`. */
  readonly words: string;
  /** The arguments after the words, for the help. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: Readonly<
    Record<string, { readonly type: "string" | "boolean"; readonly multiple?: true; readonly help: string }>
  >;
  /** True when it never needs a console, so none is opened. */
  readonly standalone?: true;
  /**
   * Checks the arguments before anything else happens.
   * @throws CliError
   */
  check?(asked: Pick<Invocation, "positionals" | "options">): void;
  /**
   * Runs the command.
   * @returns the exit code
   * @throws CliError
   */
  run(invocation: Invocation): Promise<number>;
}

/**
 * Requires exactly one argument.
 * @param question the message otherwise
 */
export function exactlyOne(question: string): NonNullable<CliCommand["check"]> {
  return ({ positionals }) => {
    if (positionals.length !== 1) throw new CliError(exitCodes.usage, question);
  };
}

/**
 * Prints an answer: with `--json` as it is, else what is said of it.
 * @returns the exit code of a command that is done
 */
export function printAnswer(
  { json, print }: Pick<Invocation, "json" | "print">,
  answer: unknown,
  said: string | readonly string[],
): number {
  print(json ? JSON.stringify(answer) : said);
  return exitCodes.done;
}

/** The exit codes of every program; `unwritable` as in sysexits. */
export const exitCodes = {
  done: 0,
  unhealthy: 1,
  usage: 2,
  refused: 3,
  unavailable: 4,
  damaged: 5,
  unwritable: 74,
} as const;

/** Ends the command with a message and an exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Returns the JSON of an answer.
 * @throws CliError with the answer's message when it is a refusal
 */
export async function ask<T>(
  { console }: Pick<Invocation, "console">,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T> {
  const { status, json } = await console.call(method, path, body);
  if (status === 200) return json as T;
  const { message } = (json ?? {}) as { message?: string };
  throw new CliError(exitCodes.refused, message ?? `it answers ${status}`);
}
