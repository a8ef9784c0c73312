// Removes a safeguard from a source file while it is bundled, so that the product itself needs no switch for
// that.
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** A text replacement in a source file. */
export interface Sabotage {
  /** The end of the file's path. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Fails the build when a sabotage does not apply, because a control without a change would prove nothing. */
export function sabotaging(planned: readonly Sabotage[]): Plugin {
  const left = new Set(planned);
  return {
    name: "sabotage",
    setup(esbuild) {
      esbuild.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const here = planned.filter(({ file }) => path.endsWith(file));
        if (here.length === 0) return undefined;
        for (const sabotage of here) left.delete(sabotage);
        return { contents: here.reduce(sabotaged, readFileSync(path, "utf8")), loader: "ts" };
      });
      esbuild.onEnd(() => ({ errors: [...left].map(({ file }) => ({ text: `${file} was not loaded` })) }));
    },
  };
}

/**
 * Applies a sabotage to a source.
 * @throws Error when the text does not occur exactly once
 */
export function sabotaged(source: string, { file, find, replace }: Sabotage): string {
  if (source.split(find).length !== 2) throw new Error(`${file} must contain exactly once: ${find}`);
  return source.replace(find, () => replace);
}
