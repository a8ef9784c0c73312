import Type from "typebox";
import { Refused } from "./refused.ts";
import type { Row } from "./row.ts";

/** Rows that are about the process, or show it, and answer whatever has become of the log. */
const aboutProcess: ReadonlySet<string> = new Set(["/apidoc", "/healthz", "/", "/ui/:file"]);

/**
 * The rows of a hub that has nothing to show: all answer 503 with the reason, but those about the process.
 * Nobody can be told from anybody else, so nothing is asked of callers.
 */
export function unavailableRows(rows: readonly Row[], reason: string): Row[] {
  return rows.map((row) => {
    if (aboutProcess.has(row.path)) return row;
    const { method, path, unversioned, summary } = row;
    return {
      method,
      path,
      ...(unversioned && { unversioned }),
      summary,
      access: "ANONYMOUS",
      result: Type.Unknown(),
      handle: () => new Refused(503, reason),
    };
  });
}
