import type { ChangeLine, ChangesEnd, ChangesHead } from "@ledge/link";
import { changeKinds, parseJsonLines, Refused } from "@ledge/link";
import { Id, limits, lazyValidator } from "@ledge/model";
import Type from "typebox";

/** An answer of a hub that is whole. */
export interface ReadChanges {
  readonly head: ChangesHead;
  readonly lines: readonly ChangeLine[];
  readonly end: ChangesEnd;
}

/** An answer is broken: nothing of it counts. */
export class ChangesError extends Error {
  override readonly name = "ChangesError";
}

const Cursor = Type.String({ minLength: 1, maxLength: limits.changeCursorChars });
const Place = Type.Optional(
  Type.Union([Type.Object({ kind: Type.Enum([...changeKinds]), id: Id }), Type.Null()]),
);
const Object_ = Type.Object({ id: Type.String(), timestamp: Type.Integer() }, { additionalProperties: true });
const Removed = Type.Object({
  kind: Type.Enum([...changeKinds]),
  id: Type.String(),
  timestamp: Type.Integer(),
});
const ChangeEvent = Type.Object(
  { ref: Type.String(), device: Type.String(), type: Type.String(), timestamp: Type.Integer() },
  { additionalProperties: true },
);
const heads = lazyValidator(
  Type.Object({
    v: Type.Literal(1),
    share: Type.Enum(["none", "states"]),
    generation: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    full: Type.Boolean(),
    from: Place,
    after: Type.Union([Type.String(), Type.Null()]),
  }),
);
const lines = lazyValidator(
  Type.Union([
    Type.Object({ event: ChangeEvent }),
    Type.Object({ device: Object_ }),
    Type.Object({ alarm: Object_ }),
    Type.Object({ removed: Removed }),
  ]),
);
const ends = lazyValidator(Type.Object({ next: Cursor, more: Type.Boolean(), upto: Place }));

/** Lines of the largest answer that a hub gives: head, end, and with each change the object that it has touched. */
const mostLines = 2 * limits.changesAtOnce + 2;

/**
 * Reads the lines of an answer.
 * @param body not compressed any more
 * @param after the cursor with which the hub was asked
 * @throws ChangesError for an answer that is too large, has a line that is too long, nested too deep or not understood,
 *   answers another request, or lacks its end; what the body throws
 */
export async function readChanges(body: AsyncIterable<Buffer>, after: string | null): Promise<ReadChanges> {
  const reading = new Reading(after);
  let size = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limits.changesBytes) throw new ChangesError("the answer is too large");
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(lineEnd) + 1;
    if (end > 0) reading.take(bytes.subarray(0, end));
    rest = bytes.subarray(end);
    if (rest.length > limits.changeLineBytes) throw new ChangesError("a line is too long");
  }
  if (rest.length > 0) throw new ChangesError("the answer is cut off");
  return reading.whole;
}

const lineEnd = 10;

/** An answer of which some lines have arrived. */
class Reading {
  readonly #after: string | null;
  #head: ChangesHead | undefined;
  /** Only the line after it tells whether a line is the last one. */
  #waiting: unknown;
  readonly #found: ChangeLine[] = [];
  #count = 0;

  constructor(after: string | null) {
    this.#after = after;
  }

  /** @param bytes whole lines */
  take(bytes: Buffer): void {
    const parsed = parseJsonLines(bytes, { depth: limits.changeLineDepth, bytes: limits.changeLineBytes });
    if (parsed instanceof Refused) throw new ChangesError(`a line is not taken: ${parsed.message}`);
    for (const line of parsed) {
      if (++this.#count > mostLines) throw new ChangesError("the answer has too many lines");
      if (this.#head === undefined) {
        this.#head = headIn(line, this.#after);
        continue;
      }
      if (this.#waiting !== undefined) this.#found.push(changeIn(this.#waiting));
      this.#waiting = line;
    }
  }

  get whole(): ReadChanges {
    const end = this.#waiting;
    if (this.#head === undefined || end === undefined) throw new ChangesError("the answer is cut off");
    if (!ends.Check(end)) throw new ChangesError("the last line is not understood");
    return { head: this.#head, lines: this.#found, end };
  }
}

function headIn(line: unknown, after: string | null): ChangesHead {
  if (!heads.Check(line)) throw new ChangesError("the first line is not understood");
  if (line.after !== after) throw new ChangesError("the answer is one to another cursor");
  return line;
}

function changeIn(line: unknown): ChangeLine {
  if (!lines.Check(line)) throw new ChangesError("a line is not understood");
  return line as ChangeLine;
}
