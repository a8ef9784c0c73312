import type { Asker, PastTask, PastTasks } from "@ledge/api";
import type { Problem } from "@ledge/link";

/** The start data of the thread. */
export interface ThreadData {
  /** The data folder. */
  readonly folder: string;
  readonly hubId: string;
  /** The API version with four components. */
  readonly version: string;
  /** One number: the id of the question that was given up last. */
  readonly givenUp: Int32Array;
}

export interface Question {
  readonly number: number;
  readonly task: PastTask;
  readonly args: PastTasks[PastTask];
  readonly asker: Asker;
  readonly budgetMs: number;
  /** Folder of the history index, when it may be read. */
  readonly historyFolder: string | undefined;
}

/** A message of the thread: it is up, it has begun a question, or a question's result. */
export type ThreadMessage =
  | { readonly type: "up" }
  | { readonly type: "answered"; readonly number: number; readonly bytes: Uint8Array }
  | ({ readonly type: "refused"; readonly number: number } & PlainRefused)
  | { readonly type: "failed"; readonly number: number; readonly error: Error };

/** The `code` of a refusal because the history index is damaged. */
export const historyDamaged = "HISTORY_DAMAGED";

/** A `Refused` in a form that can pass between threads. */
export interface PlainRefused {
  readonly status: number;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly retryAfterS: number | undefined;
  readonly more: Readonly<Record<string, unknown>>;
}
