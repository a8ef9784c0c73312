import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EventPlace } from "@ledge/kernel";
import { lazyValidator } from "@ledge/model";
import Type from "typebox";
import { logFolder, writeWhole } from "@ledge/host/folder";
import { release } from "../version.ts";

/** A file of the log after a clean stop. A replaced file differs in size or time. */
const LeftFile = Type.Object({ name: Type.String(), bytes: Type.Integer(), modifiedMs: Type.Number() });
type LeftFile = Type.Static<typeof LeftFile>;

/** An event that a start could not apply. The count begins anew with another release, which may know the event. */
const RefusedEvent = Type.Object({
  release: Type.String(),
  timestamp: Type.Integer(),
  index: Type.Integer(),
  type: Type.String(),
  message: Type.String(),
  /** How many starts in a row it has ended. */
  times: Type.Integer(),
});
export type RefusedEvent = Type.Static<typeof RefusedEvent>;

const Note = Type.Object({
  /** The machine's boot id: a power cut is no fault of the hub. */
  boot: Type.String(),
  /** Processes in a row on this boot that died soon after their start. */
  deaths: Type.Integer(),
  /** The log's files after a clean stop; null while a hub runs and after any other end. */
  left: Type.Union([Type.Null(), Type.Array(LeftFile)]),
  refused: Type.Union([Type.Null(), RefusedEvent]),
  /** The log's hub and its newest commit (ms) when it was last opened or closed. */
  newest: Type.Optional(
    Type.Union([Type.Null(), Type.Object({ hub: Type.String(), timestamp: Type.Integer() })]),
  ),
});
export type Newest = NonNullable<Type.Static<typeof Note>["newest"]>;
type Note = Type.Static<typeof Note>;

const validator = lazyValidator(Note);
const noteFile = (folder: string): string => join(folder, "run.json");
const nothing: Note = { boot: "", deaths: 0, left: null, refused: null };

/** An event that has ended this many starts is left out. */
const refusalsToSafeMode = 2;

/**
 * Records how the hub's last runs on a data folder ended, in a small file beside the log that is replaced as a
 * whole.
 */
export class RunNote {
  readonly #folder: string;
  #note: Note;

  /** Reads the note. A missing or damaged note counts as an unclean stop. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#note = read(folder);
  }

  /** Whether the log's files are unchanged since a clean stop. */
  get isClean(): boolean {
    const { left } = this.#note;
    return left !== null && JSON.stringify(left) === JSON.stringify(filesOf(this.#folder));
  }

  /** The number of processes in a row that died since the last clean stop. */
  get deaths(): number {
    return this.#note.deaths;
  }

  /** The event to leave out, because it has ended enough starts of this release. */
  get leftOut(): RefusedEvent | undefined {
    const refused = this.refused;
    return refused !== undefined && refused.times >= refusalsToSafeMode ? refused : undefined;
  }

  /** The event that ended the last start of this release. */
  get refused(): RefusedEvent | undefined {
    const { refused } = this.#note;
    return refused?.release === release ? refused : undefined;
  }

  /** Records the start of the process: from now on any end without `end` counts as a death. */
  begin(): void {
    const boot = bootId();
    const { left, deaths, refused } = this.#note;
    const isRow = left === null && this.#note.boot === boot && existsSync(noteFile(this.#folder));
    this.#write({ ...this.#note, boot, deaths: isRow ? deaths + 1 : 0, left: null, refused });
  }

  /** Records that the process has lived long enough not to die of the same cause as those before. */
  survived(): void {
    if (this.#note.deaths > 0) this.#write({ ...this.#note, deaths: 0 });
  }

  /** The newest commit of the last run. A log that ends earlier lacks acknowledged commits. Null when unknown. */
  get newest(): Newest | null {
    return this.#note.newest ?? null;
  }

  /** Records that all events of the log were applied. @param newest undefined for the log of a new hub */
  applied(newest?: Newest): void {
    this.#write({ ...this.#note, refused: null, newest: newest ?? this.newest });
  }

  /** Records an event that could not be applied and ends this start. That end is no death. */
  refuse({ timestamp, index, type }: EventPlace, message: string): void {
    const before = this.refused;
    const isSame = before?.timestamp === timestamp && before.index === index;
    const times = isSame ? before.times + 1 : 1;
    const refused = { release, timestamp, index, type, message, times };
    this.#write({ ...this.#note, deaths: 0, refused });
  }

  /** Records that the log was closed and is complete. */
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
      // Without a note the next start checks the log, so a failed write on a full disk may remove it.
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
