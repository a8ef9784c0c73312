import type { Signal } from "@preact/signals";
import type { Answer, Failure } from "../../api/call.ts";
import { type Find, pair433, type ScanDelta, startInclusion } from "../../api/pairing.ts";
import { pause } from "../../browser.ts";
import { reasonOf } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import { t } from "../../texts/texts.ts";
import { type Finds, goneOf, merged } from "./finds.ts";
import type { Way } from "./ways.ts";

/** How a search goes. `isShared`: it was under way before this page asked. */
export type Progress =
  | { readonly state: "begins" }
  | { readonly state: "runs"; readonly isShared: boolean }
  | { readonly state: "failed"; readonly failure: Failure };

/** A search lasts 10 s after the last question. */
const everyMs = 1000;

/** Follows a search until the signal aborts: asks each second, also after an error. */
export async function follow(search: {
  readonly way: Way;
  readonly finds: Signal<Finds>;
  readonly progress: Signal<Progress>;
  readonly signal: AbortSignal;
  /** Asks for the finds since a timestamp; undefined when the search has ended before the question's turn. */
  readonly ask: (ts: number) => Promise<Answer<ScanDelta> | undefined>;
}): Promise<void> {
  const { way, finds, progress, signal, ask } = search;
  let ts = 0;
  let isShared: boolean | undefined;
  while (!signal.aborted) {
    const answer = await ask(ts);
    if (signal.aborted || answer === undefined) return;
    if (!answer.ok) {
      progress.value = { state: "failed", failure: answer };
      await pause(Math.max(everyMs, (answer.retryAfterS ?? 0) * 1000), signal);
      continue;
    }
    const isFirst = isShared === undefined;
    isShared ??= answer.value.devices.length > 0;
    ts = answer.value.timestamp;
    const found = merged(finds.peek(), answer.value);
    sayGone(goneOf(finds.peek(), found));
    finds.value = found;
    progress.value = { state: "runs", isShared };
    // Both count only while a search runs.
    if (isFirst && way.by === "433") void sayFailure(pair433(way.kind.id));
    if (isFirst && way.by === "zwave") void sayFailure(startInclusion());
    await pause(everyMs, signal);
  }
}

async function sayFailure(asked: Promise<Answer<unknown>>): Promise<void> {
  const answer = await asked;
  if (!answer.ok) notify(reasonOf(answer), { isError: true });
}

/** Returns what to call a find that is not kept: nobody will see it again under another name. */
export function lostNameOf({ status }: Find): string {
  return status?.name ?? t("pair.nameless");
}

export function nameOf({ status }: Find): string {
  return status?.name ?? t("pair.unknown");
}

/** Says of each find that is gone whether it went away, or somebody else has kept it. */
function sayGone(gone: readonly Find[]): void {
  for (const find of gone) {
    const isDevice = home.of.devices.of(find.id).peek() !== undefined;
    notify(t(isDevice ? "pair.keptElsewhere" : "pair.gone", { name: nameOf(find) }));
  }
}
