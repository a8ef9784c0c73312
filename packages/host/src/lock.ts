import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { logFolder } from "./folder.ts";
import { finishReplacement } from "./replace-folder.ts";

/** Of folders in which everybody may make files, such as those for temporary ones. */
const stickyBit = 0o1000;

/** Another process runs on the folder. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/** The folder is one that others use too, or not ours to close to them. */
export class SharedFolderError extends Error {
  override readonly name = "SharedFolderError";
}

const usualName = "ledge.sock";
const socketName = /^ledge(?:-[\w-]{12})?\.sock$/;

/** A name for a folder's socket that nobody guesses who cannot list the folder. */
export function hiddenSocketName(): string {
  return `ledge-${randomBytes(9).toString("base64url")}.sock`;
}

/** The path of the socket that a running process owns in its data folder, or would if none runs. */
export function socketPath(folder: string): string {
  return join(folder, socketsIn(folder)[0] ?? usualName);
}

/** The names of the sockets in a data folder: of the process that runs, or of one that was killed. */
function socketsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => socketName.test(name));
  } catch {
    return [];
  }
}

/** Whether something answers at the folder's socket. */
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
 * Takes a data folder for this process: whoever binds its socket owns it. A socket that nobody answers at is
 * what a killed hub left and is replaced; so that two starting processes cannot both replace it, the kernel lends a
 * name that lives exactly as long as the process.
 * @param server is bound to the socket (mode 0600), and left to answer the console.
 * @param name of the socket.
 * @returns gives the folder back.
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
 * Keeps processes from starting on a folder that is there, without serving anything.
 * @returns lets go of it.
 * @throws LockedError when one runs on it, or another process holds it
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
 * Takes away what others may do in a data folder: it holds keys. A folder that others use too, such as one for
 * temporary files, is refused instead.
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

/** Binds an abstract name (Linux) that stands for the folder; undefined where the system has none. */
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
