import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Confinement } from "@ledge/port";

/** The permissions that an adapter needs besides the network and its line to the hub. */
interface Needs {
  /** Serial ports: their device files, and the native code that opens them. */
  readonly serial?: true;
  /** Whether the adapter keeps files in its folder. */
  readonly files?: true;
  /** Whether its settings name a program that it runs. What it runs is not confined. */
  readonly runs?: (settings: Readonly<Record<string, unknown>>) => boolean;
  /** The paths in the adapter's settings that it reads. */
  readonly reads?: (settings: Readonly<Record<string, unknown>>) => readonly unknown[];
}

/** Loaders of native code read this file to tell which C library is installed. */
const libc = "/etc/alpine-release";

const needs: Readonly<Record<string, Needs>> = {
  sim: {},
  bacnet: {},
  hue: {},
  mbus: {
    serial: true,
    reads: ({ ports, receivers }) => [...linesIn(ports), ...sourcesIn(receivers)],
  },
  modbus: { serial: true, reads: ({ ports, modelsFolder }) => [modelsFolder, ...linesIn(ports)] },
  mqtt: { reads: ({ broker, sources }) => [...filesOf(broker), listOf(sources)] },
  onvif: { reads: ({ cameras }) => listIn(cameras).map((camera) => fieldOf(camera, "passwordFile")) },
  rf433: {
    serial: true,
    reads: ({ gateways, receivers }) => [...linesIn(gateways), ...sourcesIn(receivers)],
    runs: ({ receivers }) => listIn(receivers).some(({ source }) => fieldOf(source, "type") === "program"),
  },
  upnp: {},
  zigbee: {
    serial: true,
    files: true,
    reads: ({ images, radio }) => [images, portOf(radio)],
  },
  zwave: { serial: true, files: true, reads: ({ radio }) => [portOf(radio)] },
};

/**
 * Returns the permissions of an adapter's process, as far as Node can restrict it. The process may read the
 * program and the files that its protocol needs. It can never read the data folder, so neither the keys nor the
 * name of the console's socket.
 * @param folder for its caches
 * @param settings the adapter's part of the profile, not validated yet
 */
export function confinementOf(protocol: string, folder: string, settings: unknown): Confinement {
  const { serial = false, files = false, reads, runs } = needs[protocol] ?? {};
  const isObject = typeof settings === "object" && settings !== null;
  const given = (isObject ? settings : {}) as Readonly<Record<string, unknown>>;
  const named = reads?.(given) ?? [];
  const paths = named.filter((path): path is string => typeof path === "string" && path.startsWith("/"));
  return {
    read: [...program(), ...(serial ? ["/dev", "/sys", libc] : []), ...(files ? [folder] : []), ...paths],
    write: files ? [folder] : [],
    addons: serial,
    ...(runs?.(given) && { programs: true }),
  };
}

function portOf(radio: unknown): unknown {
  return (radio as { readonly path?: unknown } | null | undefined)?.path;
}

/** The certificates and the password with which the hub enters a broker. */
function filesOf(broker: unknown): readonly unknown[] {
  const { ca, certificate, key, passwordFile } = { ...(broker as Readonly<Record<string, unknown>> | null) };
  return [ca, certificate, key, passwordFile];
}

/** The file with devices on plain topics. */
function listOf(sources: unknown): unknown {
  return (sources as { readonly topics?: unknown } | null | undefined)?.topics;
}

/** A serial line need not be below /dev. */
function linesIn(ports: unknown): readonly unknown[] {
  return listIn(ports).map(({ transport }) => fieldOf(transport, "path"));
}

/** Files in which receivers leave what they hear, programs that hear, and what lets the hub into a broker. */
function sourcesIn(receivers: unknown): readonly unknown[] {
  return listIn(receivers).flatMap(({ source }) =>
    ["path", "passwordFile", "ca"].map((name) => fieldOf(source, name)),
  );
}

function listIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all.filter((each) => typeof each === "object" && each !== null) as readonly Readonly<
    Record<string, unknown>
  >[];
}

function fieldOf(of: unknown, name: string): unknown {
  return (of as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

/** The places of the program: the repository's packages, or the bundles with the files beside them. */
function program(): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url));
  const isSource = import.meta.url.endsWith(".ts");
  const root = isSource ? join(here, "../../../..") : join(here, "..");
  const modules = join(root, "node_modules");
  // pnpm keeps packages in a store, and Node follows links to their targets.
  const store = join(modules, ".pnpm");
  const kept = existsSync(store) ? [realpathSync(store)] : [];
  return [isSource ? join(root, "packages") : here, modules, ...kept, join(root, "package.json")];
}
