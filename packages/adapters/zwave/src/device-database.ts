import type { ConfigManager } from "@zwave-js/config";

/** What the library has loaded of its device database; its types hide both. */
interface Loaded {
  _manufacturers: unknown;
  index: unknown;
  loadAll: () => Promise<void>;
}

const loading = new WeakMap<object, () => Promise<Loaded>>();

/**
 * Lets all drivers of a process load the library's device database once, and begins to load it now. It takes a second of a
 * processor or, on a slow or busy machine, longer than a stick is waited for: each new try would begin it anew. A driver
 * waits for its stick first, so the two go on side by side.
 * @param managers the library's class, from which each driver makes one
 */
export function shareDatabase(managers: typeof ConfigManager): void {
  const prototype = managers.prototype as unknown as Loaded;
  const begun = loading.get(prototype);
  if (begun) return void begun();
  const { loadAll } = prototype;
  let first: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    if (first) return first;
    const manager = new managers() as unknown as Loaded;
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
