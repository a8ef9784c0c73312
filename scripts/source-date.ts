import { execFileSync } from "node:child_process";

/** When the sources were committed (s since 1970): what is built of them carries this time. */
export function sourceDate(): number {
  const given = process.env["SOURCE_DATE_EPOCH"];
  if (given !== undefined) return Number(given);
  return Number(execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: import.meta.dirname }).toString());
}
