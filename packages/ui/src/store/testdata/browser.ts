// A browser's database and network for tests of the store, and the cloud or hub that answers.
type Respond = () => Promise<Response>;
const away: Respond = async () => new Response("{}", { status: 503 });

/** What the browser keeps, and what the other side answers, by the end of the path. */
export const browser = {
  stored: new Map<string, unknown>(),
  answers: {} as Record<string, Respond>,
  /** Resolves before the browser reads. */
  reading: Promise.resolve() as Promise<unknown>,
};

/** Empties the browser. */
export function renewBrowser(): void {
  Object.assign(browser, { stored: new Map(), answers: {}, reading: Promise.resolve() });
}

/** Returns a HubKey that nobody signed. */
export function hubKey(hub: string, of: string): string {
  return `h.${Buffer.from(JSON.stringify({ hub_id: hub, user_id: of })).toString("base64url")}.s`;
}

function request(act: () => unknown, before: Promise<unknown> = Promise.resolve()): EventTarget {
  const target = new EventTarget();
  const answer = async (): Promise<void> => {
    await before;
    Object.assign(target, { result: act() });
    target.dispatchEvent(new Event("success"));
  };
  void answer();
  return target;
}

/** Deletes a name, or all from one to another. */
function remove(names: string | readonly [first: string, last: string]): void {
  const [first, last] = typeof names === "string" ? [names, names] : names;
  for (const name of browser.stored.keys()) if (name >= first && name <= last) browser.stored.delete(name);
}

const objectStore = (): object => ({
  get: (name: string) => request(() => browser.stored.get(name), browser.reading),
  put: (value: unknown, name: string) => request(() => void browser.stored.set(name, value)),
  delete: (names: string | readonly [string, string]) => request(() => remove(names)),
});

/** Makes it the browser of this process, with a page of the cloud. */
export function installBrowser(): void {
  Object.assign(globalThis, {
    indexedDB: { open: () => request(() => ({ transaction: () => ({ objectStore }) })) },
    IDBKeyRange: { bound: (first: string, last: string) => [first, last] },
    document: { documentElement: { dataset: { at: "cloud" } } },
    fetch: (url: string, { signal }: RequestInit) => {
      const path = Object.keys(browser.answers).find((end) => url.split("?")[0]?.endsWith(end));
      const gone = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
      return Promise.race([((path && browser.answers[path]) || away)(), gone]);
    },
  });
}
