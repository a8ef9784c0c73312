import { statfs } from "node:fs/promises";
import { limits } from "@ledge/model";
import { UpdateError } from "./update-error.ts";

/**
 * Refuses a step of an update that the disk has no room for: beside the step's own bytes the log keeps its reserve.
 * @param folder on the disk
 * @param what the step is for, as in "too full to …"
 * @throws UpdateError that says how much is free and how much is needed
 */
export async function refuseWithoutRoom(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = bytes + limits.reserveAgainBytes;
  if (bavail * bsize >= needed) return;
  const [free, least] = [bavail * bsize, needed].map((count) => Math.ceil(count / 1_048_576));
  throw new UpdateError(`the disk is too full to ${what}: ${free} MiB are free, ${least} are needed`);
}
