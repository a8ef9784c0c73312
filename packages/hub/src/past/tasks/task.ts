import type { Asker, PastTask, PastTasks } from "@ledge/api";
import type { Reader } from "../reader.ts";

/** Answers JSON as bytes, or plain data that becomes JSON, or a `Refused`. Throws what `Reader` throws. */
export type Task<T extends PastTask> = (reader: Reader, args: PastTasks[T], asker: Asker) => unknown;
