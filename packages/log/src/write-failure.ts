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
 * The room that a log has (bytes): what the disk has, and what the log's own file takes before it grows. The latter
 * counts only above the point where the disk is full, and no more than that: LMDB may not be able to use free pages
 * yet, and a commit that counts on them does not meet the end of the disk then either.
 * @param free bytes of the file system
 * @param spare bytes of the log's file, `LogStats.spareBytes`
 */
export function effectiveRoom(free: number, spare: number): number {
  return free < roomBytes ? free : free + Math.min(spare, roomBytes);
}

/**
 * Before a commit to LMDB, which may not meet a full disk: lmdb 3.5.6 writes beyond a buffer when a write fails.
 * @param bytes that the commit stores
 * @param spare bytes that the log's file takes before it grows
 * @throws NoRoomError when it might not fit
 */
export function refuseWithoutRoom(space: Space, bytes: number, spare: number): void {
  const free = freeBytes(space);
  if (effectiveRoom(free, spare) < roomBytes + bytes)
    throw new NoRoomError(`the disk is full: ${free} bytes are free, ${bytes} are to be stored`);
}

/** As `refuseWithoutRoom`, of a folder. Free space that cannot be found out is no full disk. */
export async function requireRoom(
  folder: string,
  bytes: number,
  spare: number,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<void> {
  const found = await space(folder).catch(() => undefined);
  if (found !== undefined) refuseWithoutRoom(found, bytes, spare);
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
  spare: number,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<boolean> {
  return effectiveRoom(freeBytes(await space(folder)), spare) >= roomAgainBytes;
}
