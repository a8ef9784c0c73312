import { statfs } from "node:fs/promises";
import { LogError } from "./event-log.ts";

/**
 * A disk with less free space is taken for full: the largest commit, the pages around it and what the file
 * system keeps for itself have to fit.
 */
const roomBytes = 16_777_216;

interface Space {
  /** Free blocks for a user without privileges. */
  readonly bavail: number;
  /** Size of a block in bytes. */
  readonly bsize: number;
}

/**
 * What a failed write in a folder means: `full` or `failed`. The error's own code does not tell, because LMDB
 * reports a full disk as EIO when a write of several pages comes back short.
 * @param space how the free space is found out
 */
export async function writeFailure(
  folder: string,
  cause: unknown,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<LogError> {
  const free = await space(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (free !== undefined && free < roomBytes) {
    return new LogError("full", `the disk is full, ${free} bytes are free: ${reason}`, { cause });
  }
  return new LogError("failed", `the log cannot be written: ${reason}`, { cause });
}

/** Over what counts as full, room for the file to grow by more than a journal holds: a full disk is left for good. */
const roomAgainBytes = roomBytes + 8_388_608;

/** Whether a disk that was full is no longer. */
export async function hasRoom(
  folder: string,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<boolean> {
  const { bavail, bsize } = await space(folder);
  return bavail * bsize >= roomAgainBytes;
}
