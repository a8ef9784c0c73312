import type { UnderlyingSource } from "node:stream/web";
import { setImmediate } from "node:timers/promises";
import type { Kernel } from "@ledge/kernel";
import type { Sealing } from "@ledge/log";
import type { Commit, Declared } from "@ledge/model";
import { withoutPersonalState } from "./digest.ts";
import type { Whose } from "./format.ts";

/** What a process says of itself and of the log that it hands over. */
export interface SourceHead extends Whose {
  readonly release: string;
  /** Commits up to this timestamp (ms) follow: all that are durable when it begins. */
  readonly timestamp: number;
  /** Up to where (ms) the log was compacted; 0 when it was not. */
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

/** Characters after which other work gets its turn. */
const sliceChars = 65_536;

/**
 * A log as of now, and the projections that it led to, as lines of JSON with all that is secret in them, and
 * nothing personal that is not sealed. Both
 * are fixed when it begins: the projections are taken at once, and the log below their timestamp does not grow.
 * What stands in the journal only is read from there, so that a full disk does not stand in the way.
 * @param secrets opens them: a backup seals them anew
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
    // What was read before and what comes now are no one log.
    if (kernel.log.horizon !== horizon) throw new Error("the log was compacted meanwhile: try again");
    yield { commit: { ...commit, events: secrets.open(commit.events) } };
    commits += 1;
  }
  yield { end: { commits } };
}
