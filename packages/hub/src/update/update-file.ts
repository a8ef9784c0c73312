import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@ledge/host/folder";
import Type from "typebox";
import { Check } from "typebox/value";
import { noUpdate, type UpdateState } from "./update.ts";

/** Returns the folder for updates in a data folder. It is in no backup. */
export function updateFolder(folder: string): string {
  return join(folder, "update");
}

const Slot = Type.Enum(["A", "B"]);
const move = { from: Type.String(), slot: Slot };
const target = { ...move, to: Type.String(), unreadable: Type.Array(Type.String()) };
const Previous = Type.Object({
  version: Type.String(),
  slot: Slot,
  since: Type.Union([Type.Integer(), Type.Null()]),
});

const Kept = Type.Object({
  stage: Type.Union([
    Type.Object({ phase: Type.Literal("IDLE"), left: Type.Optional(Type.Object(target)) }),
    Type.Object({ phase: Type.Enum(["FETCHING", "CHECKING"]), ...move }),
    Type.Object({ phase: Type.Enum(["INSTALLING", "INSTALLED"]), ...target }),
    Type.Object({ phase: Type.Literal("TRIAL"), since: Type.Integer(), ...target }),
    Type.Object({ phase: Type.Literal("RETURNING"), ...move, to: Previous }),
  ]),
  previous: Type.Union([Previous, Type.Null()]),
  outcome: Type.Union([
    Type.Object({
      result: Type.Enum(["INSTALLED", "FAILED", "ROLLED_BACK"]),
      version: Type.Union([Type.String(), Type.Null()]),
      message: Type.Union([Type.String(), Type.Null()]),
      at: Type.Integer(),
    }),
    Type.Null(),
  ]),
});

/** The file that says how far an update is. A hub with another release reads it too, so its fields only grow. */
export class UpdateFile {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(updateFolder(folder), "state.json");
  }

  /** Returns what it says; `noUpdate` where there is none, or none that can be read. */
  read(): UpdateState {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      return Check(Kept, kept) ? kept : noUpdate;
    } catch {
      return noUpdate;
    }
  }

  /** Returns when the file is on the disk. */
  write(state: UpdateState): void {
    mkdirSync(join(this.#file, ".."), { recursive: true, mode: 0o700 });
    writeWhole(this.#file, JSON.stringify(state));
  }
}
