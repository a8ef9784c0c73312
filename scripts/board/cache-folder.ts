import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder for what takes long to make and fits every checkout: `LEDGE_CACHE`, else the folder of the
 * XDG base directories (https://specifications.freedesktop.org/basedir-spec).
 * @throws Error when `LEDGE_CACHE` is not absolute: each working directory would have a cache of its own
 */
export function cacheFolder(environment: Environment = process.env, home = homedir()): string {
  const { LEDGE_CACHE: own = "", XDG_CACHE_HOME: shared = "" } = environment;
  if (own !== "" && !isAbsolute(own)) throw new Error(`LEDGE_CACHE is ${own}: name an absolute path`);
  if (own !== "") return own;
  // The specification has relative paths ignored.
  return join(isAbsolute(shared) ? shared : join(home, ".cache"), "ledge");
}
