import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Confinement } from "@ledge/port";

/** What an adapter needs beside the network and its line to the hub. */
interface Needs {
  /** Serial ports: their device files, and the native code that opens them. */
  readonly serial?: true;
  /** Whether it keeps files in its folder. */
  readonly files?: true;
  /** Paths in its settings that it reads. */
  readonly reads?: (settings: Readonly<Record<string, unknown>>) => readonly unknown[];
}

/** What the loader of native code looks for, to tell which C library there is. */
const libc = "/etc/alpine-release";

const needs: Readonly<Record<string, Needs>> = {
  sim: {},
  modbus: { serial: true, reads: ({ ports }) => linesIn(ports) },
  zigbee: {
    serial: true,
    files: true,
    reads: ({ images, radio }) => [images, (radio as { readonly path?: unknown } | undefined)?.path],
  },
};

/**
 * What the process of an adapter may do of what Node can forbid. It reads the program and what its protocol needs, and
 * never the data folder: not the keys in there, nor the name of the console's socket.
 * @param folder of its caches
 * @param settings its part of the profile, not looked at yet
 */
export function confinementOf(protocol: string, folder: string, settings: unknown): Confinement {
  const { serial = false, files = false, reads } = needs[protocol] ?? {};
  const isObject = typeof settings === "object" && settings !== null;
  const named = isObject ? (reads?.(settings as Readonly<Record<string, unknown>>) ?? []) : [];
  const paths = named.filter((path): path is string => typeof path === "string" && path.startsWith("/"));
  return {
    read: [...program(), ...(serial ? ["/dev", "/sys", libc] : []), ...(files ? [folder] : []), ...paths],
    write: files ? [folder] : [],
    addons: serial,
  };
}

/** Serial lines need not be below /dev. */
function linesIn(ports: unknown): readonly unknown[] {
  const lines = Array.isArray(ports)
    ? (ports as readonly { readonly transport?: { readonly path?: unknown } }[])
    : [];
  return lines.map((line) => line?.transport?.path);
}

/** Where the program is: the repository's packages, or the bundles with what stands beside them. */
function program(): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url));
  const isSource = import.meta.url.endsWith(".ts");
  const root = isSource ? join(here, "../../../..") : join(here, "..");
  const modules = join(root, "node_modules");
  // Where pnpm keeps them; a link is followed to where it leads.
  const store = join(modules, ".pnpm");
  const kept = existsSync(store) ? [realpathSync(store)] : [];
  return [isSource ? join(root, "packages") : here, modules, ...kept, join(root, "package.json")];
}
