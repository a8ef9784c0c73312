import type { UnderlyingSource } from "node:stream/web";
import { setImmediate } from "node:timers/promises";
import type { Kernel } from "@ledge/kernel";
import type { Sealing } from "@ledge/log";
import type { Commit, Declared } from "@ledge/model";
import { withoutPersonalState } from "./digest.ts";
import type { Whose } from "./format.ts";

/** What a process says about itself and the log that it hands over. */
export interface SourceHead extends Whose {
  readonly release: string;
  /** Commits up to this timestamp (ms) follow: all that are durable at the beginning. */
  readonly timestamp: number;
  /** The horizon of the log (ms); 0 when it was never compacted. */
  readonly horizon: number;
  readonly stateFormat: string;
}

/** A line of the stream: first the head, then rows of the projections, then commits, then the end. */
export type SourceLine =
  | { readonly head: SourceHead }
  | { readonly row: unknown }
  | { readonly commit: Commit }
  | { readonly end: { readonly commits: number } };

export const sourceContentType = "application/x-ndjson";

/** After this many characters other work gets a turn. */
const sliceChars = 65_536;

/**
 * Streams the present log, and its projections, as lines of JSON, with secrets in the clear and personal
 * fields sealed. Both are fixed at the beginning: the projections are copied at once, and the log up to their
 * timestamp does not change. Commits that are only in the journal are read from there, so a full disk does
 * not matter.
 * @param secrets opens secrets, as the backup seals them with its own key
 */
export function backupSource(
  kernel: Pick<Kernel, "log" | "snapshot">,
  self: Whose & Pick<SourceHead, "release">,
  secrets: Pick<Sealing, "open">,
  declared: Declared,
): ReadableStream<Uint8Array> {
  const lines = linesOf(kernel, self, secrets, declared);
  const encoder = new TextEncoder();
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      await setImmediate();
      let text = "";
      while (text.length < sliceChars) {
        const { done, value } = lines.next();
        if (done === true) break;
        text += `${JSON.stringify(value)}\n`;
      }
      if (text === "") controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    cancel() {
      lines.return();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

function* linesOf(
  kernel: Pick<Kernel, "log" | "snapshot">,
  self: Whose & Pick<SourceHead, "release">,
  secrets: Pick<Sealing, "open">,
  declared: Declared,
): Generator<SourceLine, void> {
  const { timestamp, format, rows } = kernel.snapshot();
  const { horizon } = kernel.log;
  yield { head: { ...self, timestamp, horizon, stateFormat: format } };
  for (const row of rows) yield { row: withoutPersonalState(row, declared) };
  let commits = 0;
  for (const commit of kernel.log.readSealed(0, timestamp)) {
    // What was read before and after a compaction does not fit together.
    if (kernel.log.horizon !== horizon) throw new Error("the log was compacted meanwhile: try again");
    yield { commit: { ...commit, events: secrets.open(commit.events) } };
    commits += 1;
  }
  yield { end: { commits } };
}
