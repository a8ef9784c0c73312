// What the browser gives beyond the page: the only file that uses it, because a page of the local network is no secure
// context and lacks part of it.

const database = "ledge";
const table = "kept";

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore(table));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no database")));
  });
  return opened;
}

/** @returns the result of a request to the database */
async function ask(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const request = act((await open()).transaction(table, mode).objectStore(table));
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result as unknown));
    request.addEventListener("error", () => reject(request.error ?? new Error("the database failed")));
  });
}

/** Returns what this browser has kept under a name; undefined also where it keeps nothing, as in a private window. */
export async function kept<T>(name: string): Promise<T | undefined> {
  try {
    return (await ask("readonly", (store) => store.get(name))) as T | undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value under a name, or forgets it when it is undefined. @returns whether the browser has done so */
export async function keep(name: string, value: unknown): Promise<boolean> {
  try {
    await ask("readwrite", (store) => (value === undefined ? store.delete(name) : store.put(value, name)));
    return true;
  } catch {
    return false;
  }
}

/** Forgets everything whose name begins with a text. @returns whether the browser has done so */
export async function forgetAll(beginning: string): Promise<boolean> {
  try {
    const names = IDBKeyRange.bound(beginning, `${beginning}\uffff`);
    await ask("readwrite", (store) => store.delete(names));
    return true;
  } catch {
    return false;
  }
}

/** Resolves after a time (ms), or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

let turns: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/** Lets the browser do what waits, such as input and drawing, and resolves then. */
export function nextTurn(): Promise<void> {
  if (turns === undefined) {
    turns = new MessageChannel();
    turns.port1.addEventListener("message", () => waiting.shift()?.());
    turns.port1.start();
  }
  const { port2 } = turns;
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
}

/** Calls back when the page is shown or hidden. */
export function onShown(call: (isShown: boolean) => void): void {
  document.addEventListener("visibilitychange", () => call(document.visibilityState === "visible"));
}

/** Calls back when the browser believes that the network is back. */
export function onOnline(call: () => void): void {
  globalThis.addEventListener("online", call);
}

/** Whether the cloud serves the page, so that hubs are reached by its relay. */
export function isOfCloud(): boolean {
  return document.documentElement.dataset["at"] === "cloud";
}

/** Returns the languages that the browser's user reads, the best first. */
export function languages(): readonly string[] {
  return navigator.languages;
}

/** Returns a new random id, as RFC 9562 writes it in its version 4. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const systems = ["Android", "iPhone", "iPad", "Windows", "Mac", "Linux"];
const programs = ["Edg", "Firefox", "Chrome", "Safari"];

/** Returns a name for this device and browser that people recognise, such as "Firefox, Linux". */
export function deviceName(): string {
  const { userAgent } = navigator;
  const found = [programs, systems].map((names) => names.find((name) => userAgent.includes(name)));
  return found
    .filter((name) => name !== undefined)
    .join(", ")
    .replace("Edg", "Edge");
}

/** Has the page fill the screen, or no longer, where the browser lets it. */
export function fillScreen(isFull: boolean): void {
  // Phones of Apple have neither; others want a touch.
  const { documentElement: page } = document as { documentElement: Partial<HTMLElement> };
  const asked = isFull ? page.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen();
  asked?.catch(() => undefined);
}

/** Selects the text of a field and copies it. @returns false where the browser does not copy, as some do on plain HTTP */
export function copy(field: HTMLTextAreaElement): boolean {
  field.select();
  return document.execCommand("copy");
}

/** Selects the text of an element and copies it. @returns as `copy` */
export function copyText(element: Element): boolean {
  getSelection()?.selectAllChildren(element);
  return document.execCommand("copy");
}

/** Has the browser save a text as a file. */
export function saveText(name: string, text: string): void {
  saveFile(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

/** Has the browser save a file. */
export function saveFile(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), savedMs);
}

/** After which time the browser has surely begun to save a file. */
const savedMs = 60_000;
