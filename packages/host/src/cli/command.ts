import type { Console } from "./client.ts";

/** What a command gets. */
export interface Invocation {
  readonly console: Console;
  /** The data folder. */
  readonly folder: string;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly json: boolean;
  /** Prints a line, or lines; with `json` the text of one JSON value. */
  readonly print: (text: string | readonly string[]) => void;
  /** Ends when the user interrupts. */
  readonly interrupted: AbortSignal;
}

/** One command of a program. */
export interface CliCommand {
  /** Its words, such as `events tail`. */
  readonly words: string;
  /** What follows the words, for the help. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: Readonly<
    Record<string, { readonly type: "string" | "boolean"; readonly multiple?: true; readonly help: string }>
  >;
  /** True when it never asks a console, so that none is opened for it. */
  readonly standalone?: true;
  /** Looks at the arguments before anything is asked or opened. @throws CliError */
  check?(asked: Pick<Invocation, "positionals" | "options">): void;
  /** @returns the exit code. @throws CliError */
  run(invocation: Invocation): Promise<number>;
}

/** Asks for one argument, no more and no less. @param question what is said where there is none, or another */
export function exactlyOne(question: string): NonNullable<CliCommand["check"]> {
  return ({ positionals }) => {
    if (positionals.length !== 1) throw new CliError(exitCodes.usage, question);
  };
}

/** Exit codes of every program; `unwritable` as in sysexits. */
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
 * The JSON of an answer.
 * @throws CliError with its message when it refuses.
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
