import { statfs } from "node:fs/promises";
import { LogError, NoRoomError } from "./event-log.ts";

/**
 * A disk with less free space is taken for full: the pages around a commit, what others write meanwhile, and what
 * the file system keeps for itself have to fit.
 */
const roomBytes = 16_777_216;

interface Space {
  /** Free blocks for a user without privileges. */
  readonly bavail: number;
  /** Size of a block in bytes. */
  readonly bsize: number;
}

const freeBytes = ({ bavail, bsize }: Space): number => bavail * bsize;

/**
 * Before a commit to LMDB, which may not meet a full disk: lmdb 3.5.6 writes beyond a buffer when a write fails.
 * @param bytes that the commit stores
 * @throws NoRoomError when it might not fit
 */
export function refuseWithoutRoom(space: Space, bytes: number): void {
  const free = freeBytes(space);
  if (free < roomBytes + bytes)
    throw new NoRoomError(`the disk is full: ${free} bytes are free, ${bytes} are to be stored`);
}

/** As `refuseWithoutRoom`, of a folder. Free space that cannot be found out is no full disk. */
export async function requireRoom(
  folder: string,
  bytes: number,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<void> {
  const found = await space(folder).catch(() => undefined);
  if (found !== undefined) refuseWithoutRoom(found, bytes);
}

/**
 * What a failed write of a file means: `full` or `failed`. The free space tells, for an error's code does not.
 * @param space how the free space is found out
 */
export async function writeFailure(
  folder: string,
  cause: unknown,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<LogError> {
  const free = await space(folder).then(freeBytes, () => undefined);
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
  return freeBytes(await space(folder)) >= roomAgainBytes;
}
