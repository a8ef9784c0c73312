// Parses what the shim recorded of a process.

/** An operation on a file, or the end of one. A file is identified by its inode; `name` is its path at the time. */
export type Operation =
  | (Begun & {
      readonly kind: "write";
      /** In bytes. */
      readonly position: number;
      readonly bytes: Buffer;
      /** Whether it returns only when the bytes are on disk (O_DSYNC). */
      readonly isSynchronous: boolean;
    })
  | (Begun & { readonly kind: "truncate"; readonly size: number })
  /** fsync or fdatasync, of a file or a folder. */
  | (Begun & { readonly kind: "flush" })
  | (Begun & { readonly kind: "rename"; readonly to: string })
  | (Begun & { readonly kind: "unlink" })
  /** A failed flush: data written before it that is not on disk yet never will be. */
  | (Begun & { readonly kind: "lose" })
  | { readonly kind: "end"; readonly ticket: string; readonly result: number };

export type Write = Extract<Operation, { kind: "write" }>;

interface Begun {
  /** Identifies the operation within a trace, for its end. */
  readonly ticket: string;
  readonly inode: string;
  readonly name: string;
}

const headerBytes = 48;

/**
 * Parses a trace.
 * @param trace a file that the shim wrote; an incomplete operation at its end was not carried out.
 */
export function operationsOf(trace: Buffer): Operation[] {
  const operations: Operation[] = [];
  for (let at = 0; at + headerBytes <= trace.length;) {
    const nameLength = trace.readUInt32LE(at + 4);
    const length = Number(trace.readBigUInt64LE(at + 32));
    const end = at + headerBytes + nameLength + length;
    if (end > trace.length) break;
    operations.push(operationAt(trace, at, nameLength, end));
    at = end;
  }
  return operations;
}

function operationAt(trace: Buffer, at: number, nameLength: number, end: number): Operation {
  const ticket = String(trace.readBigUInt64LE(at + 8));
  const inode = String(trace.readBigUInt64LE(at + 16));
  const position = Number(trace.readBigInt64LE(at + 24));
  const nameEnd = at + headerBytes + nameLength;
  const name = trace.toString("utf8", at + headerBytes, nameEnd);
  const bytes = trace.subarray(nameEnd, end);
  const begun = { ticket, inode, name };
  const kind = trace.readUInt32LE(at);
  switch (kind) {
    case 1:
      return { kind: "write", ...begun, position, bytes, isSynchronous: trace[at + 40] === 1 };
    case 2:
      return { kind: "truncate", ...begun, size: position };
    case 3:
      return { kind: "flush", ...begun };
    case 4:
      return { kind: "rename", ...begun, to: bytes.toString() };
    case 5:
      return { kind: "unlink", ...begun };
    case 6:
      return { kind: "end", ticket, result: position };
    case 7:
      return { kind: "lose", ...begun };
    default:
      throw new Error(`the trace is damaged at ${at}: kind ${kind}`);
  }
}
