import { withRegion } from "@ledge/testkit/page";

/** Returns docs/zwave-devices.md with its tables in their places. */
export function withTables(page: string, values: string, files: string): string {
  return withRegion(withRegion(page, "values", values), "files", files);
}
