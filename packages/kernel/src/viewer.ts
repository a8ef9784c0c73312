import type { CategoryType } from "@ledge/model";

/** Who looks: decides which objects an answer holds. */
export interface Viewer {
  /** Exactly one role bit (hub-api 5.3). */
  readonly role: number;
  readonly user: string | null;
  /** When the viewer's rights last changed (ms): a cursor from before gets a full answer. */
  readonly since: number;
}

/**
 * Where a client stands (hub-api 4.1): one cursor over everything, or the legacy ones, each of which selects
 * its category. A cursor of 0 or less asks for everything.
 */
export type Cursors = { readonly ts: number } | { readonly byCategory: ReadonlyMap<CategoryType, number> };

export interface PollRequest {
  readonly viewer: Viewer;
  readonly cursors: Cursors;
  /** Language for objects with texts: `en`, `fi`, `sv` or `de`. */
  readonly language: string;
}
