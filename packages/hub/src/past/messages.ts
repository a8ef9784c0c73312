import type { Asker, PastTask, PastTasks } from "@ledge/api";
import type { Problem } from "@ledge/link";

/** What the thread is started with. */
export interface ThreadData {
  /** The data folder. */
  readonly folder: string;
  readonly hubId: string;
  /** Of the API, four components. */
  readonly version: string;
  /** One number: the question that was given up last. */
  readonly givenUp: Int32Array;
}

export interface Question {
  readonly number: number;
  readonly task: PastTask;
  readonly args: PastTasks[PastTask];
  readonly asker: Asker;
  readonly budgetMs: number;
  /** Folder of the history index, where it may be read. */
  readonly historyFolder: string | undefined;
}

/** What the thread says: it is up; it has begun with a question; what came of it. */
export type ThreadMessage =
  | { readonly type: "up" }
  | { readonly type: "answered"; readonly number: number; readonly bytes: Uint8Array }
  | ({ readonly type: "refused"; readonly number: number } & PlainRefused)
  | { readonly type: "failed"; readonly number: number; readonly error: Error };

/** The `code` of a refusal: what was read of the history index was damaged. */
export const historyDamaged = "HISTORY_DAMAGED";

/** A `Refused`, as it goes from thread to thread. */
export interface PlainRefused {
  readonly status: number;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly retryAfterS: number | undefined;
  readonly more: Readonly<Record<string, unknown>>;
}
