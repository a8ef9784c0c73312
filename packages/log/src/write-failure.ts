import { statfs } from "node:fs/promises";
import { LogError, NoRoomError } from "./event-log.ts";

/**
 * A disk with less free space counts as full. The space covers the pages around a commit, concurrent writes of
 * other programs, and the reserve of the file system.
 */
const roomBytes = 16_777_216;

interface Space {
  /** Free blocks for an unprivileged user. */
  readonly bavail: number;
  /** Size of a block in bytes. */
  readonly bsize: number;
}

const freeBytes = ({ bavail, bsize }: Space): number => bavail * bsize;

/**
 * Returns the room that a log has (bytes): free space on the disk, plus what the log's own file takes before it
 * grows. The latter counts only while the disk is not full, and at most up to that same threshold. LMDB may not
 * be able to use its free pages yet; even then a commit that counts on them does not hit the end of the disk.
 * @param free bytes of the file system
 * @param spare bytes of the log's file, `LogStats.spareBytes`
 */
export function effectiveRoom(free: number, spare: number): number {
  return free < roomBytes ? free : free + Math.min(spare, roomBytes);
}

/**
 * Refuses a commit to LMDB that might not fit, because lmdb 3.5.6 writes beyond a buffer when a write fails.
 * @param bytes that the commit stores
 * @param spare bytes that the log's file takes before it grows
 * @throws NoRoomError when it might not fit
 */
export function refuseWithoutRoom(space: Space, bytes: number, spare: number): void {
  const free = freeBytes(space);
  if (effectiveRoom(free, spare) < roomBytes + bytes)
    throw new NoRoomError(`the disk is full: ${free} bytes are free, ${bytes} are to be stored`);
}

/** Like `refuseWithoutRoom`, for a folder. Does not refuse when the free space cannot be determined. */
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
 * Classifies a failed write of a file as `full` or `failed`, by the free space, because the error's code does not
 * tell.
 * @param space how to find out the free space
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

/**
 * The room at which a full disk counts as free again: more than a journal holds above the threshold, so that the
 * disk does not fill up again at once.
 */
const roomAgainBytes = roomBytes + 8_388_608;

/** Whether a disk that was full has room again. */
export async function hasRoom(
  folder: string,
  spare: number,
  space: (folder: string) => Promise<Space> = statfs,
): Promise<boolean> {
  return effectiveRoom(freeBytes(await space(folder)), spare) >= roomAgainBytes;
}
