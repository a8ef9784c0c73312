import type { Asker, PastTask, PastTasks } from "@ledge/api";
import type { Reader } from "../reader.ts";
import { audit } from "./audit.ts";
import { dryRun } from "./dry-run.ts";
import { firings } from "./firings.ts";
import { ruleLog } from "./rule-log.ts";
import { history } from "./history.ts";
import { row } from "./row.ts";
import { sums } from "./sums.ts";
import type { Task } from "./task.ts";
import { timeline } from "./timeline.ts";
import { undo } from "./undo.ts";
import { whatif } from "./whatif.ts";
import { why } from "./why.ts";

/** All tasks. `PastTasks` of the API holds the types of their arguments. */
const tasks: { readonly [T in PastTask]: Task<T> } = {
  audit,
  history,
  sums,
  row,
  timeline,
  undo,
  whatif,
  firings,
  why,
  "dry-run": dryRun,
  "rule-log": ruleLog,
};

/** Runs a task. Returns its result or a promise of it. */
export function carryOut<T extends PastTask>(
  task: T,
  reader: Reader,
  args: PastTasks[T],
  asker: Asker,
): unknown {
  return tasks[task](reader, args, asker);
}
