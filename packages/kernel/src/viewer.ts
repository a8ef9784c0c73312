import type { CategoryType } from "@ledge/model";

/** A viewer, who determines which objects an answer holds. */
export interface Viewer {
  /** Exactly one role bit (hub-api 5.3). */
  readonly role: number;
  readonly user: string | null;
  /** When the viewer's rights last changed (ms). An earlier cursor gets a full answer. */
  readonly since: number;
}

/**
 * The position of a client (hub-api 4.1): one cursor for everything, or legacy cursors, each of which selects its
 * category. A cursor of 0 or less asks for everything.
 */
export type Cursors = { readonly ts: number } | { readonly byCategory: ReadonlyMap<CategoryType, number> };

export interface PollRequest {
  readonly viewer: Viewer;
  readonly cursors: Cursors;
  /** Language for objects with texts: `en`, `fi`, `sv` or `de`. */
  readonly language: string;
}
