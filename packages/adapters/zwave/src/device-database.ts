import type { fs } from "@zwave-js/core/bindings/fs/node";
import type { ConfigManager } from "@zwave-js/config";

type Files = typeof fs;

/** What the library has loaded of its device database; its types hide both. */
interface Loaded {
  _manufacturers: unknown;
  index: unknown;
  loadAll: () => Promise<void>;
}

/** Reads files for the library, and its index itself: the library's reader of JSON5 takes 200 ms of a processor for it. */
class IndexFile {
  readonly #files: Files;
  /** Undefined when there is no index yet, or one that is no JSON. */
  entries: unknown;

  constructor(files: Files) {
    this.#files = files;
  }

  /** Finds nothing beside an index: what the library makes of the files, when it needs to, replaces the index. */
  async readDir(path: string): Promise<string[]> {
    return this.entries === undefined ? this.#files.readDir(path) : [];
  }

  async readFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.#files.readFile(path);
    if (!path.endsWith("/devices/index.json")) return bytes;
    try {
      // Its first line is a comment.
      this.entries = JSON.parse(
        Buffer.from(bytes)
          .toString("utf8")
          .replace(/^\/\/.*/, ""),
      );
      return Buffer.from("[]");
    } catch {
      return bytes;
    }
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
 * copying the database has made one of them newer. So it finds no files to compare with.
 * @param managers the library's class, from which each driver makes one
 * @param files how the library reads files
 */
export function shareDatabase(managers: typeof ConfigManager, files: Files): void {
  const prototype = managers.prototype as unknown as Loaded;
  const begun = loading.get(prototype);
  if (begun) return void begun();
  const { loadAll } = prototype;
  let first: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    if (first) return first;
    const index = new IndexFile(files);
    const bindings = {
      ...files,
      readDir: (path: string) => index.readDir(path),
      readFile: (path: string) => index.readFile(path),
    };
    const manager = new managers({ bindings }) as unknown as Loaded;
    first = loadAll
      .call(manager)
      .then(() => Object.assign(manager, index.entries && { index: index.entries }));
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
