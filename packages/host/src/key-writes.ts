import { LogError, NoRoomError } from "@ledge/log";

/**
 * Writes keys that a commit needs: they are on disk before anything that they have sealed, so that a power cut leaves
 * nothing that cannot be read.
 * @param what whose keys
 * @throws LogError, on which the commit is not written
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
