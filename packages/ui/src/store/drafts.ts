// What forms hold that nobody has saved yet, so that neither a reload nor a lost page loses it.
import { key } from "../api/call.ts";
import { forgetAll, keep, kept } from "../browser.ts";
import type { KeptDraft } from "./draft.ts";
import { homeOf } from "./hub-key.ts";

export const draftPrefix = "draft ";

function nameOf(form: string): string {
  return `${draftPrefix}${homeOf(key.peek() ?? "")} ${form}`;
}

/** Returns what the browser has kept of a form. @param form names it within the home, such as `rule ID` */
export function keptDraft<D>(form: string): Promise<KeptDraft<D> | undefined> {
  return kept(nameOf(form));
}

/** Keeps what a form holds, or forgets it for undefined. @returns whether the browser has done so */
export function keepDraft<D>(form: string, draft: KeptDraft<D> | undefined): Promise<boolean> {
  return keep(nameOf(form), draft);
}

/** Forgets all drafts. */
export function forgetDrafts(): Promise<boolean> {
  return forgetAll(draftPrefix);
}
