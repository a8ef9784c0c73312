// Preloaded under a child of a control: takes a safeguard out of a source file while it is loaded, so that the
// product itself has no switch for that.
import { registerHooks } from "node:module";

/** Text of a source file that is replaced. */
export interface Sabotage {
  /** The end of the file's path. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** What the environment variable of this name says: a list of sabotages as JSON. */
export const sabotageVariable = "CRASH_SABOTAGE";

const planned = JSON.parse(process.env[sabotageVariable] ?? "[]") as readonly Sabotage[];
const done = new Set<Sabotage>();

if (planned.length > 0) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const here = planned.filter(({ file }) => new URL(url).pathname.endsWith(file));
      if (here.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
      let source =
        typeof loaded.source === "string"
          ? loaded.source
          : Buffer.from(loaded.source as Uint8Array).toString();
      for (const sabotage of here) {
        source = sabotaged(source, sabotage);
        done.add(sabotage);
      }
      return { ...loaded, source };
    },
  });
  // A control that changes nothing would show nothing.
  process.on("exit", () => {
    for (const sabotage of planned) if (!done.has(sabotage)) console.error(`${sabotage.file} was not loaded`);
  });
}

/** @throws Error when the text is not there exactly once */
export function sabotaged(source: string, { file, find, replace }: Sabotage): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold exactly once: ${find}`);
  return source.replace(find, () => replace);
}
