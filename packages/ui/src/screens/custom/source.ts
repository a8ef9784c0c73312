/** What the hub finds wrong with a source: where, and in which line (from 1) if it says so. */
export interface SourceFault {
  readonly path: string;
  readonly message: string;
  readonly line: number | null;
}

/** Returns errors of the hub with their lines, which stand at the end of its messages. */
export function sourceFaults(
  errors: readonly { readonly field: string; readonly message: string }[],
): readonly SourceFault[] {
  return errors.map(({ field: path, message }) => {
    const [whole, line] = / ?\(line (\d+)\)$/.exec(message) ?? [];
    return {
      path,
      message: whole === undefined ? message : message.slice(0, -whole.length),
      line: line === undefined ? null : Number(line),
    };
  });
}

/** Returns from where to where a line (from 1) of a text goes; its end for a line that it does not have. */
export function rangeOfLine(text: string, line: number): readonly [from: number, to: number] {
  let from = 0;
  for (let passed = 1; passed < line; passed++) {
    const next = text.indexOf("\n", from);
    if (next === -1) return [text.length, text.length];
    from = next + 1;
  }
  const end = text.indexOf("\n", from);
  return [from, end === -1 ? text.length : end];
}

/** Returns the line (from 1) of a place in a text. */
export function lineAt(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}

/** Returns how many tests a source has; 0 for one that is not JSON. */
export function testsIn(source: string): number {
  try {
    const { tests } = JSON.parse(source) as { readonly tests?: unknown };
    return Array.isArray(tests) ? tests.length : 0;
  } catch {
    return 0;
  }
}
