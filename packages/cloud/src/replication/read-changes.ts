import type { ChangeLine, ChangesEnd, ChangesHead } from "@ledge/link";
import { changeKinds, parseJson, Refused } from "@ledge/link";
import { Id, limits } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";

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
const heads = Compile(
  Type.Object({
    v: Type.Literal(1),
    share: Type.Enum(["none", "states"]),
    generation: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    full: Type.Boolean(),
    from: Place,
    after: Type.Union([Type.String(), Type.Null()]),
  }),
);
const lines = Compile(
  Type.Union([
    Type.Object({ event: ChangeEvent }),
    Type.Object({ device: Object_ }),
    Type.Object({ alarm: Object_ }),
    Type.Object({ removed: Removed }),
  ]),
);
const ends = Compile(Type.Object({ next: Cursor, more: Type.Boolean(), upto: Place }));

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
  let head: ChangesHead | undefined;
  let waiting: unknown;
  const found: ChangeLine[] = [];
  let count = 0;
  for await (const bytes of linesIn(body)) {
    const line = parsed(bytes);
    if (++count > mostLines) throw new ChangesError("the answer has too many lines");
    if (head === undefined) head = headIn(line, after);
    else {
      // Only the line after it tells whether a line is the last one.
      if (waiting !== undefined) found.push(changeIn(waiting));
      waiting = line;
    }
  }
  if (head === undefined || waiting === undefined) throw new ChangesError("the answer is cut off");
  if (!ends.Check(waiting)) throw new ChangesError("the last line is not understood");
  return { head, lines: found, end: waiting };
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

/** Yields the lines of a body, none of which is too long. */
async function* linesIn(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limits.changesBytes) throw new ChangesError("the answer is too large");
    let bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10)) {
      if (at > limits.changeLineBytes) throw new ChangesError("a line is too long");
      yield bytes.subarray(0, at);
      bytes = bytes.subarray(at + 1);
    }
    if (bytes.length > limits.changeLineBytes) throw new ChangesError("a line is too long");
    rest = bytes;
  }
  if (rest.length > 0) throw new ChangesError("the answer is cut off");
}

const bounds = {
  depth: limits.changeLineDepth,
  keys: limits.changeLineBytes,
  items: limits.changeLineBytes,
  values: limits.changeLineBytes,
};

function parsed(line: Buffer): unknown {
  const found = parseJson(line, bounds);
  if (found instanceof Refused) throw new ChangesError(`a line is not taken: ${found.message}`);
  return found.value;
}
