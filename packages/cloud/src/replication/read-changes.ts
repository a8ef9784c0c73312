import type { ChangeLine, ChangesEnd, ChangesHead } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";

/** An answer of a hub that is whole. */
export interface ReadChanges {
  readonly head: Omit<ChangesHead, "after">;
  readonly lines: readonly ChangeLine[];
  readonly end: ChangesEnd;
}

/** An answer is broken: nothing of it counts. */
export class ChangesError extends Error {
  override readonly name = "ChangesError";
}

const Cursor = Type.String({ minLength: 1, maxLength: limits.changeCursorChars });
const Object_ = Type.Object({ id: Type.String(), timestamp: Type.Integer() }, { additionalProperties: true });
const Removed = Type.Object({
  kind: Type.Enum(["device", "alarm"]),
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
const ends = Compile(Type.Object({ next: Cursor, more: Type.Boolean() }));

/**
 * Reads the lines of an answer.
 * @param body not compressed any more
 * @throws ChangesError for an answer that is too large, has a line that is too long or not understood, or
 *   lacks its end; what the body throws
 */
export async function readChanges(body: AsyncIterable<Buffer>): Promise<ReadChanges> {
  const texts: string[] = [];
  let size = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limits.changesBytes) throw new ChangesError("the answer is too large");
    let bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10)) {
      if (at > limits.changeLineBytes) throw new ChangesError("a line is too long");
      texts.push(bytes.toString("utf8", 0, at));
      bytes = bytes.subarray(at + 1);
    }
    if (bytes.length > limits.changeLineBytes) throw new ChangesError("a line is too long");
    rest = bytes;
  }
  if (rest.length > 0 || texts.length < 2) throw new ChangesError("the answer is cut off");
  const [head, ...others] = texts.map(parsed);
  const end = others.pop();
  if (!heads.Check(head)) throw new ChangesError("the first line is not understood");
  if (!ends.Check(end)) throw new ChangesError("the last line is not understood");
  if (!others.every((line) => lines.Check(line))) throw new ChangesError("a line is not understood");
  return { head, lines: others as ChangeLine[], end };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ChangesError("a line is no JSON");
  }
}
