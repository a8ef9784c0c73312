import type { ZWaveOptions } from "zwave-js";
import { commandClass } from "./map/command-class.ts";

type DatabaseFactory = NonNullable<NonNullable<ZWaveOptions["host"]>["db"]>;
type Database = ReturnType<DatabaseFactory["createInstance"]>;

/** The properties of the library's values that hold codes of people, by command class. */
const codeProperties: ReadonlyMap<unknown, ReadonlySet<unknown>> = new Map<unknown, ReadonlySet<unknown>>([
  [commandClass.userCode, new Set(["userCode", "adminCode", "masterCode"])],
  [commandClass.userCredential, new Set(["credential", "adminPinCode", "keyLockerEntry"])],
]);

/** The devices that join by themselves, with their PINs. The adapter has its own list of them, which is sealed. */
const smartStartKey = "controller.provisioningList";

/**
 * Makes a database of the library's cache refuse the codes that locks tell, and hold the PINs of its SmartStart list in
 * memory alone: its files are not sealed. Removes those that an earlier version stored when it is opened.
 */
export function keepCodesOut<Opened extends Database>(database: Opened): Opened {
  const remove = database.delete.bind(database);
  holdList(database);
  const set = database.set.bind(database);
  database.set = (key, value, updateTimestamp) => (isCode(key) ? database : set(key, value, updateTimestamp));
  const open = database.open.bind(database);
  database.open = async () => {
    await open();
    const codes = [...database.keys()].filter((key) => isCode(key) || key === smartStartKey);
    for (const key of codes) remove(key);
    // It only appends, so what was deleted stays in its file until it writes a new one.
    if (codes.length > 0 && "compress" in database) await (database.compress as () => Promise<void>)();
  };
  return database;
}

function holdList(database: Database): void {
  const held = new Map<string, unknown>();
  const has = database.has.bind(database);
  const get = database.get.bind(database);
  const set = database.set.bind(database);
  const remove = database.delete.bind(database);
  const clear = database.clear.bind(database);
  const isHeld = (key: string): boolean => key === smartStartKey;
  database.has = (key) => (isHeld(key) ? held.has(key) : has(key));
  database.get = (key) => (isHeld(key) ? held.get(key) : get(key));
  database.set = (key, value, updateTimestamp) => {
    if (!isHeld(key)) return set(key, value, updateTimestamp);
    held.set(key, value);
    return database;
  };
  database.delete = (key) => (isHeld(key) ? held.delete(key) : remove(key));
  database.clear = () => {
    held.clear();
    clear();
  };
}

/** The keys of the library's values are their ids as JSON; other keys are plain text. */
function isCode(key: string): boolean {
  if (!key.startsWith("{")) return false;
  try {
    const { commandClass: of, property } = JSON.parse(key) as Readonly<Record<string, unknown>>;
    return codeProperties.get(of)?.has(property) === true;
  } catch {
    return false;
  }
}
