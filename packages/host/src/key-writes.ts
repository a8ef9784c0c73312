import { LogError, NoRoomError } from "@ledge/log";

/**
 * Writes keys that a commit needs. Keys are on disk before anything that they seal, so that a power cut
 * leaves nothing unreadable.
 * @param what the owner of the keys, for messages
 * @throws LogError, and then the commit is not written
 */
export function writeKeys<T>(what: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new NoRoomError(`there is no room for the keys of ${what}`, { cause });
    throw new LogError("failed", `the keys of ${what} cannot be written`, { cause });
  }
}
