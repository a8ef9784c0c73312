import type { fs } from "@zwave-js/core/bindings/fs/node";
import type { ConfigManager } from "@zwave-js/config";

type Files = typeof fs;

/** What the library has loaded of its device database, which its types hide, and how it loads it. */
interface Loaded {
  _manufacturers: unknown;
  index: unknown;
  loadAll: () => Promise<void>;
  loadDeviceIndex: () => Promise<void>;
}

/** Returns the index of a database; undefined when it has none yet, or one that is no JSON. */
async function indexIn(folder: string, files: Files): Promise<unknown> {
  try {
    const bytes = await files.readFile(`${folder}/index.json`);
    // Its first line is a comment.
    return JSON.parse(
      Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\/\/.*/, ""),
    );
  } catch {
    return undefined;
  }
}

const loading = new WeakMap<object, () => Promise<Loaded>>();

/**
 * Lets all drivers of a process load the library's device database once, and begins to load it now. It takes a second of a
 * processor or, on a slow or busy machine, longer than a stick is waited for: each new try would begin it anew. A driver
 * waits for its stick first, so the two go on side by side.
 *
 * The database never changes after its index was made, by the library's first start or by whoever bundles it. The library
 * compares the time of the index with those of some 2,800 files all the same, and reads all of them anew at each start when
 * copying the database has made one of them newer; its reader of JSON5 takes 200 ms of a processor for the index. So the index
 * is read here, and the library makes it when it is missing.
 * @param managers the library's class, from which each driver makes one
 * @param folder where the library has its database, with the index
 * @param files how the library reads files
 */
export function shareDatabase(managers: typeof ConfigManager, folder: string, files: Files): void {
  const prototype = managers.prototype as unknown as Loaded;
  const begun = loading.get(prototype);
  if (begun) return void begun();
  const { loadAll, loadDeviceIndex } = prototype;
  let first: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    if (first) return first;
    const manager = new managers({ bindings: files }) as unknown as Loaded;
    manager.loadDeviceIndex = async () => {
      manager.index = await indexIn(folder, files);
      if (manager.index === undefined) await loadDeviceIndex.call(manager);
    };
    first = loadAll.call(manager).then(() => manager);
    // A driver hears of it, and the next one tries again.
    first.catch(() => (first = undefined));
    return first;
  };
  loading.set(prototype, load);
  prototype.loadAll = async function share(this: Loaded) {
    const { _manufacturers, index } = await load();
    Object.assign(this, { _manufacturers, index });
  };
  void load();
}
