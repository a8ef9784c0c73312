import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { AdapterError } from "@ledge/port";
import type { Model } from "./model-file.ts";
import { readModel } from "./read-model.ts";
import { shippedModels } from "./shipped-models.ts";

/** A file that is no model. `field`: where it is wrong; empty for the whole. */
export interface ModelProblem {
  readonly file: string;
  readonly field: string;
  readonly message: string;
}

/** The limits of a folder: a model is kept in the store, too, where a value has at most 64 KiB. */
const most = { files: 256, bytes: 60_000 };

interface Read {
  readonly stamp: string;
  readonly outcome: Model | ModelProblem;
  /** The parsed file of a model. */
  readonly file?: unknown;
}

/** What has changed in the folder: ids of models, and problems that are new. */
export interface ModelNews {
  readonly changed: ReadonlySet<string>;
  readonly problems: readonly ModelProblem[];
}

const nothingNew: ModelNews = { changed: new Set(), problems: [] };

/**
 * The models that this release ships, and those of a folder, which go first. Copies of models that are in use stand in
 * where neither has them.
 */
export class Models {
  readonly #folder: string | undefined;
  readonly #copies = new Map<string, Model>();
  /** What each file held when it was last right: a slip of the pen must not take devices away. */
  readonly #lastRight = new Map<string, Model>();
  #files: ReadonlyMap<string, Read> = new Map();
  #byId: ReadonlyMap<string, Model> = shippedModels;
  #problems: readonly ModelProblem[] = [];

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get all(): readonly Model[] {
    return [...this.#byId.values()];
  }

  get problems(): readonly ModelProblem[] {
    return this.#problems;
  }

  get(id: string): Model | undefined {
    return this.#byId.get(id);
  }

  /** Returns the file of a model of the folder. */
  fileOf(id: string): unknown {
    for (const { outcome, file } of this.#files.values()) if (outcome === this.#byId.get(id)) return file;
    return undefined;
  }

  /** Adds a model from a copy of its file. An older release may have written it: what no longer fits is left out. */
  addCopy(file: unknown): void {
    const read = modelOf("", file);
    if (!("id" in read)) return;
    this.#copies.set(read.id, read);
    if (!this.#byId.has(read.id)) this.#byId = new Map([...this.#byId, [read.id, read]]);
  }

  /** Reads the folder again, as far as its files have changed. */
  async refresh(): Promise<ModelNews> {
    if (this.#folder === undefined) return nothingNew;
    const before = this.#files;
    this.#files = await this.#read(this.#folder);
    const known = new Set(before.values());
    if (this.#files.size === before.size && [...this.#files.values()].every((read) => known.has(read)))
      return nothingNew;
    const byId = new Map([...this.#copies, ...shippedModels]);
    const problems: ModelProblem[] = [];
    const files = new Map<string, string>();
    for (const [file, { outcome }] of this.#files) {
      if (!("id" in outcome)) {
        problems.push(outcome);
        const last = this.#lastRight.get(file);
        if (last !== undefined) byId.set(last.id, last);
      } else if (files.has(outcome.id))
        problems.push({ file, field: "id", message: `"${outcome.id}" is that of ${files.get(outcome.id)}` });
      else {
        files.set(outcome.id, file);
        this.#lastRight.set(file, outcome);
        byId.set(outcome.id, outcome);
      }
    }
    for (const file of this.#lastRight.keys()) if (!this.#files.has(file)) this.#lastRight.delete(file);
    const [old, told] = [this.#byId, new Set(this.#problems.map((problem) => JSON.stringify(problem)))];
    this.#byId = byId;
    this.#problems = problems;
    return {
      changed: new Set([...old.keys(), ...byId.keys()].filter((id) => old.get(id) !== byId.get(id))),
      problems: problems.filter((problem) => !told.has(JSON.stringify(problem))),
    };
  }

  async #read(folder: string): Promise<ReadonlyMap<string, Read>> {
    const names = await namesIn(folder);
    const files = new Map<string, Read>();
    for (const name of names.slice(0, most.files)) {
      const read = await this.#readFile(folder, name);
      if (read !== undefined) files.set(name, read);
    }
    for (const name of names.slice(most.files)) {
      const message = `is beyond the limit of ${most.files} files`;
      files.set(name, this.#kept(name, "") ?? { stamp: "", outcome: { file: name, field: "", message } });
    }
    return files;
  }

  async #readFile(folder: string, name: string): Promise<Read | undefined> {
    const path = join(folder, name);
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const kept = this.#kept(name, stamp);
      if (kept !== undefined) return kept;
      if (size > most.bytes) throw new AdapterError("settings", `: has more than ${most.bytes} bytes`);
      return { stamp, ...parsed(name, await readFile(path, "utf8")) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // It was there a moment ago.
      if (code === "ENOENT") return undefined;
      return this.#kept(name, message) ?? { stamp: message, outcome: problemOf(name, message) };
    }
  }

  #kept(name: string, stamp: string): Read | undefined {
    const read = this.#files.get(name);
    return read?.stamp === stamp ? read : undefined;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    // Editors leave hidden files beside those that they write.
    return names.filter((name) => name.endsWith(".json") && !name.startsWith(".")).toSorted();
  } catch {
    return [];
  }
}

function parsed(file: string, text: string): Omit<Read, "stamp"> {
  try {
    const value: unknown = JSON.parse(text);
    return { outcome: modelOf(file, value), file: value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { outcome: { file, field: "", message: `is no JSON: ${error.message}` } };
  }
}

function modelOf(file: string, value: unknown): Model | ModelProblem {
  try {
    return readModel(value);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return problemOf(file, error.message);
  }
}

/** @param message begins with the field. */
function problemOf(file: string, message: string): ModelProblem {
  const colon = message.indexOf(": ");
  return colon < 0
    ? { file, field: "", message }
    : { file, field: message.slice(0, colon), message: message.slice(colon + 2) };
}
