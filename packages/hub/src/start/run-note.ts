import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EventPlace } from "@ledge/kernel";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { logFolder, writeWhole } from "@ledge/host/folder";
import { release } from "../version.ts";

/** A file of the log as a clean stop left it: one that was put in its place is another. */
const LeftFile = Type.Object({ name: Type.String(), bytes: Type.Integer(), modifiedMs: Type.Number() });
type LeftFile = Type.Static<typeof LeftFile>;

/** An event that a start could not apply. Another release may know it: then it counts anew. */
const RefusedEvent = Type.Object({
  release: Type.String(),
  timestamp: Type.Integer(),
  index: Type.Integer(),
  type: Type.String(),
  message: Type.String(),
  /** Starts that it has ended in a row. */
  times: Type.Integer(),
});
export type RefusedEvent = Type.Static<typeof RefusedEvent>;

const Note = Type.Object({
  /** Of the machine: a power cut is no fault of the hub. */
  boot: Type.String(),
  /** Processes in a row on this boot that ended without closing the log, and soon. */
  deaths: Type.Integer(),
  /** The log's files after a clean stop; null while a hub runs, or after one that ended otherwise. */
  left: Type.Union([Type.Null(), Type.Array(LeftFile)]),
  refused: Type.Union([Type.Null(), RefusedEvent]),
  /** Whose log it was, and its newest commit (ms), when it was last opened or closed. */
  newest: Type.Optional(
    Type.Union([Type.Null(), Type.Object({ hub: Type.String(), timestamp: Type.Integer() })]),
  ),
});
export type Newest = NonNullable<Type.Static<typeof Note>["newest"]>;
type Note = Type.Static<typeof Note>;

const validator = Compile(Note);
const noteFile = (folder: string): string => join(folder, "run.json");
const nothing: Note = { boot: "", deaths: 0, left: null, refused: null };

/** So often an event must have ended a start until it is left out. */
const refusalsToSafeMode = 2;

/** How the hub's last runs on a data folder ended: a small file beside the log, written whole. */
export class RunNote {
  readonly #folder: string;
  #note: Note;

  /** Reads the note; one that is missing or damaged says that the last stop was not clean. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#note = read(folder);
  }

  /** Whether the log is as the last process left it when it closed it. */
  get isClean(): boolean {
    const { left } = this.#note;
    return left !== null && JSON.stringify(left) === JSON.stringify(filesOf(this.#folder));
  }

  /** Processes in a row that have died since the last clean stop. */
  get deaths(): number {
    return this.#note.deaths;
  }

  /** The event that has ended starts of this release so often that it is left out. */
  get leftOut(): RefusedEvent | undefined {
    const refused = this.refused;
    return refused !== undefined && refused.times >= refusalsToSafeMode ? refused : undefined;
  }

  /** The event that has ended the last start of this release. */
  get refused(): RefusedEvent | undefined {
    const { refused } = this.#note;
    return refused?.release === release ? refused : undefined;
  }

  /** A process begins: from now on any end but `end` is a death. */
  begin(): void {
    const boot = bootId();
    const { left, deaths, refused } = this.#note;
    const isRow = left === null && this.#note.boot === boot && existsSync(noteFile(this.#folder));
    this.#write({ ...this.#note, boot, deaths: isRow ? deaths + 1 : 0, left: null, refused });
  }

  /** The process has lived long enough to say that the start was not what the ones before have died of. */
  survived(): void {
    if (this.#note.deaths > 0) this.#write({ ...this.#note, deaths: 0 });
  }

  /** Up to where the log has gone: one that ends earlier lacks what was acknowledged. Null when nobody knows. */
  get newest(): Newest | null {
    return this.#note.newest ?? null;
  }

  /** The log's events could all be applied. @param newest undefined for the log of a new hub */
  applied(newest?: Newest): void {
    this.#write({ ...this.#note, refused: null, newest: newest ?? this.newest });
  }

  /** An event could not be applied, which ends this start. Ending so is no death. */
  refuse({ timestamp, index, type }: EventPlace, message: string): void {
    const before = this.refused;
    const isSame = before?.timestamp === timestamp && before.index === index;
    const times = isSame ? before.times + 1 : 1;
    const refused = { release, timestamp, index, type, message, times };
    this.#write({ ...this.#note, deaths: 0, refused });
  }

  /** The log is closed, and whole. */
  end(newest?: Newest): void {
    this.#write({
      ...this.#note,
      deaths: 0,
      left: filesOf(this.#folder),
      newest: newest ?? this.newest,
    });
  }

  #write(note: Note): void {
    this.#note = note;
    try {
      writeWhole(noteFile(this.#folder), `${JSON.stringify(note)}\n`);
    } catch {
      // On a full disk the note is as good as gone: the next start looks the log over.
      rmSync(noteFile(this.#folder), { force: true });
    }
  }
}

function read(folder: string): Note {
  try {
    const found: unknown = JSON.parse(readFileSync(noteFile(folder), "utf8"));
    return validator.Check(found) ? found : nothing;
  } catch {
    return nothing;
  }
}

function filesOf(folder: string): LeftFile[] {
  const found: LeftFile[] = [];
  for (const name of ["data.mdb", "journal"]) {
    const file = statSync(join(logFolder(folder), name), { throwIfNoEntry: false });
    if (file !== undefined) found.push({ name, bytes: file.size, modifiedMs: file.mtimeMs });
  }
  return found;
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
