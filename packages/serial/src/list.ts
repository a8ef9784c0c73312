import { lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { limits } from "@ledge/model";

/** A serial port of the machine. Texts come from the hardware, truncated and without control characters. */
export interface SerialPort {
  /** The path to open: the by-id path, which survives replugging, else the by-path one, else the node. */
  readonly path: string;
  /** Such as `/dev/ttyUSB0`. */
  readonly node: string;
  /** Name in /dev/serial/by-id. */
  readonly byId: string | null;
  readonly byPath: string | null;
  /** Four hexadecimal digits, lower case; null for a port that is not on USB. */
  readonly vendorId: string | null;
  readonly productId: string | null;
  readonly manufacturer: string | null;
  readonly product: string | null;
  readonly serialNumber: string | null;
  readonly interfaceNumber: number | null;
  /** The kernel's driver, such as `cp210x`. */
  readonly driver: string | null;
}

/** The kernel's type of a missing UART. */
const noUart = "0";
/** Layers between a UART and its driver, since Linux 6.5. */
const serialLayers: ReadonlySet<string> = new Set(["port", "ctrl"]);

/**
 * Lists the serial ports, sorted by path. Silently skips ports that vanish meanwhile, broken links, and
 * entries that are not files.
 * @param root the folder of /dev and /sys; links out of it are not followed
 */
export async function listPorts(root = "/"): Promise<readonly SerialPort[]> {
  // A process confined to /dev and /sys may not resolve /.
  const home = root === "/" ? root : await realpath(root).catch(() => undefined);
  if (home === undefined) return [];
  const tree = new Tree(home);
  const [byId, byPath, names] = await Promise.all([
    tree.links("dev/serial/by-id"),
    tree.links("dev/serial/by-path"),
    tree.names("sys/class/tty"),
  ]);
  const ports: SerialPort[] = [];
  for (const name of names.toSorted()) {
    const port = await describe(tree, name, byId, byPath);
    if (port !== undefined) ports.push(port);
    if (ports.length >= limits.serialPorts) break;
  }
  return ports.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

type Links = ReadonlyMap<string, string>;

async function describe(
  tree: Tree,
  name: string,
  byId: Links,
  byPath: Links,
): Promise<SerialPort | undefined> {
  const entry = await tree.real(`sys/class/tty/${name}`);
  // Consoles, pseudo terminals and the like belong to no device.
  if (entry === undefined || (await tree.real(join(entry, "device"))) === undefined) return undefined;
  if ((await tree.text(join(entry, "type"))) === noUart) return undefined;
  const node = tree.path(`dev/${name}`);
  if (!(await tree.isNode(node))) return undefined;
  const parents = tree.above(entry);
  const usb = await firstWith(tree, parents, "idVendor");
  const usbInterface = await firstWith(tree, parents, "bInterfaceNumber");
  const [id, path] = [byId.get(node) ?? null, byPath.get(node) ?? null];
  const of = (file: string): Promise<string | null> =>
    usb === undefined ? Promise.resolve(null) : tree.text(join(usb, file));
  return {
    path: tree.stable(id, path) ?? node,
    node,
    byId: id,
    byPath: path,
    vendorId: hexId(await of("idVendor")),
    productId: hexId(await of("idProduct")),
    manufacturer: await of("manufacturer"),
    product: await of("product"),
    serialNumber: await of("serial"),
    interfaceNumber: hexNumber(usbInterface && (await tree.text(join(usbInterface, "bInterfaceNumber")))),
    driver: await driverOf(tree, [join(entry, "device"), ...parents]),
  };
}

async function firstWith(tree: Tree, folders: readonly string[], file: string): Promise<string | undefined> {
  for (const folder of folders) if ((await tree.text(join(folder, file))) !== null) return folder;
  return undefined;
}

async function driverOf(tree: Tree, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const driver = await tree.target(join(folder, "driver"));
    if (driver !== undefined && !serialLayers.has(basename(driver))) return cleaned(basename(driver));
  }
  return null;
}

function hexId(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{4}$/i.test(text) ? text.toLowerCase() : null;
}

function hexNumber(text: string | null | undefined): number | null {
  return typeof text === "string" && /^[0-9a-f]{1,2}$/i.test(text) ? Number.parseInt(text, 16) : null;
}

function cleaned(text: string): string | null {
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const shown = text.replace(/[\u0000-\u001f\u007f-\u009f\ufffd]/g, " ").trim();
  return shown === "" ? null : shown;
}

/** The files below a folder. Its methods never throw: what cannot be read counts as missing. */
class Tree {
  readonly #root: string;

  /** @param root a real path */
  constructor(root: string) {
    this.#root = root;
  }

  path(below: string): string {
    return join(this.#root, below);
  }

  #holds(path: string): boolean {
    return path === this.#root || path.startsWith(this.#root === "/" ? "/" : `${this.#root}/`);
  }

  async names(below: string): Promise<readonly string[]> {
    const folder = await this.real(below);
    return folder === undefined ? [] : readdir(folder).catch(() => []);
  }

  /** Returns the real path; undefined when it does not exist or is outside. */
  async real(path: string): Promise<string | undefined> {
    const whole = path.startsWith(this.#root) ? path : this.path(path);
    const real = await realpath(whole).catch(() => undefined);
    return real !== undefined && this.#holds(real) ? real : undefined;
  }

  /** Returns the target of a link without following it. */
  async target(link: string): Promise<string | undefined> {
    return readlink(link).catch(() => undefined);
  }

  /** Returns the links of a folder by their targets; of several to one target the first by name. */
  async links(below: string): Promise<Links> {
    const found = new Map<string, string>();
    for (const name of [...(await this.names(below))].toSorted()) {
      const target = await this.target(this.path(join(below, name)));
      if (target === undefined) continue;
      const file = resolve(this.path(below), target);
      if (this.#holds(file) && !found.has(file)) found.set(file, name);
    }
    return found;
  }

  /** Whether there is something to open: neither a link nor a folder. */
  async isNode(path: string): Promise<boolean> {
    const stats = await lstat(path).catch(() => undefined);
    return stats !== undefined && !stats.isSymbolicLink() && !stats.isDirectory();
  }

  stable(byId: string | null, byPath: string | null): string | undefined {
    if (byId !== null) return this.path(`dev/serial/by-id/${byId}`);
    return byPath === null ? undefined : this.path(`dev/serial/by-path/${byPath}`);
  }

  /** Returns the start of a text file; null for anything else, such as a pipe, which would block. */
  async text(path: string): Promise<string | null> {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile() !== true) return null;
    const file = await open(path).catch(() => undefined);
    if (file === undefined) return null;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(limits.serialTextBytes), 0);
      return cleaned(buffer.toString("utf8", 0, bytesRead));
    } catch {
      return null;
    } finally {
      await file.close();
    }
  }

  /** Returns the folders above one, up to the folder of all devices. */
  above(path: string): readonly string[] {
    const folders: string[] = [];
    const top = this.path("sys/devices");
    for (let at = dirname(path); at.startsWith(`${top}/`); at = dirname(at)) folders.push(at);
    return folders;
  }
}
