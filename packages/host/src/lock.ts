import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { logFolder } from "./folder.ts";
import { finishReplacement } from "./replace-folder.ts";

/** Set on folders in which everybody may create files, such as temporary folders. */
const stickyBit = 0o1000;

/** Another process runs on the folder. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/** Others use the folder too, or it cannot be closed to them. */
export class SharedFolderError extends Error {
  override readonly name = "SharedFolderError";
}

const usualName = "ledge.sock";
const socketName = /^ledge(?:-[\w-]{12})?\.sock$/;

/** Returns a name for a folder's socket that nobody can guess without listing the folder. */
export function hiddenSocketName(): string {
  return `ledge-${randomBytes(9).toString("base64url")}.sock`;
}

/** Returns the path of the socket of the process in a data folder, running or not. */
export function socketPath(folder: string): string {
  return join(folder, socketsIn(folder)[0] ?? usualName);
}

/** Returns the names of the sockets in a data folder, of a running or a killed process. */
function socketsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => socketName.test(name));
  } catch {
    return [];
  }
}

/** Returns whether a process answers at the folder's socket. */
export async function isServed(folder: string): Promise<boolean> {
  const path = socketPath(folder);
  if (!existsSync(path)) return false;
  const probe = connect(path);
  try {
    await once(probe, "connect");
    return true;
  } catch {
    return false;
  } finally {
    probe.destroy();
  }
}

/**
 * Takes a data folder for this process: the process that binds its socket owns it. A socket without an answer
 * was left by a killed process and is replaced. To keep two starting processes from both replacing it, they
 * bind an abstract name, which the kernel frees when the process ends.
 * @param server is bound to the socket (mode 0600), to answer the console
 * @param name the name of the socket
 * @returns a function that gives the folder back
 * @throws LockedError, SharedFolderError
 */
export async function lockFolder(
  folder: string,
  server: Server,
  name: string = usualName,
): Promise<() => Promise<void>> {
  finishReplacement(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeToOthers(folder);
  const path = join(folder, name);
  const guard = await holdName(folder);
  if (await isServed(folder)) {
    guard?.close();
    throw new LockedError(`another process runs on ${folder}`);
  }
  for (const old of socketsIn(folder)) rmSync(join(folder, old), { force: true });
  const mask = process.umask(0o177);
  try {
    server.listen(path);
    await once(server, "listening");
  } catch (cause) {
    guard?.close();
    throw new LockedError(`cannot bind ${path}: ${(cause as Error).message}`, { cause });
  } finally {
    process.umask(mask);
  }
  return async () => {
    if (server.listening) {
      const closed = once(server, "close");
      server.close();
      await closed;
    }
    guard?.close();
  };
}

/**
 * Keeps processes from starting on an existing folder, without serving anything.
 * @returns a function that lets go of it
 * @throws LockedError when a process runs on it or holds it
 */
export async function holdFolder(folder: string): Promise<() => void> {
  const guard = await holdName(folder);
  if (await isServed(folder)) {
    guard?.close();
    throw new LockedError(`another process runs on ${folder}`);
  }
  return () => guard?.close();
}

/**
 * Closes a data folder to others, because it contains keys. Refuses a folder that others use too, such as a
 * temporary one.
 * @throws SharedFolderError
 */
function closeToOthers(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o077) === 0) return;
  const isOurs = existsSync(logFolder(folder)) || readdirSync(folder).every((name) => name === "lost+found");
  if (!isOurs || (mode & stickyBit) !== 0) {
    throw new SharedFolderError(
      `${folder} is open to others and holds more than ours: give it a folder of its own`,
    );
  }
  try {
    chmodSync(folder, mode & 0o700);
  } catch (cause) {
    throw new SharedFolderError(
      `${folder} is open to others and not ours to close: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

/** Binds an abstract name (Linux) for the folder; undefined on other systems. */
async function holdName(folder: string): Promise<Server | undefined> {
  if (process.platform !== "linux") return undefined;
  const { dev, ino } = statSync(folder);
  const guard = createServer((stranger) => stranger.destroy());
  guard.unref();
  guard.listen(`\0ledge-${dev}-${ino}`);
  try {
    await once(guard, "listening");
  } catch (cause) {
    throw new LockedError(`another process runs on ${folder}`, { cause });
  }
  return guard;
}
