import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { makeSelfSigned } from "@ledge/host/self-signed";
import type { ImageFiles } from "./image.ts";
import { buildBundle } from "./update-bundle.ts";

/** QEMU's name for this machine. */
const host = "10.0.2.2";

export interface Signer {
  /** PEM files. */
  readonly key: string;
  readonly certificate: string;
}

/** Returns a key, and a certificate that images can trust, in files of a folder. They are made once. */
export function signerIn(folder: string, name: string): Signer {
  const signer = { key: join(folder, `${name}.key`), certificate: join(folder, `${name}.pem`) };
  if (existsSync(signer.certificate)) return signer;
  const { key, certificate } = makeSelfSigned(`Ledge trial ${name}`);
  writeFileSync(signer.key, key);
  writeFileSync(signer.certificate, certificate);
  return signer;
}

/** Writes a board's profile with the feed of a port of this machine. @returns its file */
export function profileWithFeed(profile: string, folder: string, port: number): string {
  const { name, ...rest } = JSON.parse(readFileSync(profile, "utf8")) as { name: string };
  const updates = { url: `http://${host}:${port}/newest.json` };
  const own = join(folder, `${name}.json`);
  writeFileSync(own, JSON.stringify({ name, ...rest, updates }));
  return own;
}

/** A feed on this machine, which the emulated one reads: one release at a time. */
export class Feed {
  readonly #folder: string;
  readonly #server: Server;

  private constructor(folder: string, server: Server) {
    this.#folder = folder;
    this.#server = server;
  }

  /** Serves the release in a folder, `newest.json` and `newest.raucb`. */
  static async serve(folder: string, port: number): Promise<Feed> {
    mkdirSync(folder, { recursive: true });
    const server = createServer((request, response) => {
      const name = /^\/(newest\.(?:json|raucb))$/.exec(request.url ?? "")?.[1];
      if (name === undefined) return void response.writeHead(404).end();
      response.setHeader("content-length", statSync(join(folder, name)).size);
      createReadStream(join(folder, name)).pipe(response);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return new Feed(folder, server);
  }

  /** @param release folder with the bundle and what announces it */
  offer(release: string): void {
    for (const name of ["newest.json", "newest.raucb"]) cpSync(join(release, name), join(this.#folder, name));
  }

  close(): void {
    this.#server.close();
  }
}

export interface Variant {
  readonly version: string;
  readonly signer: Signer;
  /** Changes the root file system. */
  readonly change?: (root: string) => void;
}

/**
 * Makes a release from an image's: another version, and what else is changed of its root file system.
 * @param folder for it; it is left as it is when it was made before
 */
export function makeRelease(
  files: ImageFiles,
  profile: string,
  folder: string,
  { version, signer, change = () => {} }: Variant,
): void {
  if (existsSync(join(folder, "newest.json"))) return;
  mkdirSync(folder, { recursive: true });
  const [tree, root] = [join(folder, "tree"), join(folder, "root.squashfs")];
  for (const path of [tree, root]) rmSync(path, { recursive: true, force: true });
  execFileSync("unsquashfs", ["-quiet", "-no-progress", "-dest", tree, files.root], { stdio: "ignore" });
  const file = join(tree, "opt/ledge/package.json");
  const about = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...about, version }));
  change(tree);
  const packing = ["-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "3"];
  execFileSync("mksquashfs", [tree, root, ...packing], { stdio: "ignore" });
  rmSync(tree, { recursive: true });
  buildBundle({ boot: files.boot, root, profile, version, ...signer }, join(folder, "newest.raucb"));
}

/** Makes the same release with another signature. @param of its folder, with the root file system that it was made from */
export function signAgain(
  files: ImageFiles,
  profile: string,
  { of, folder, version, signer }: { of: string; folder: string; version: string; signer: Signer },
): void {
  if (existsSync(join(folder, "newest.json"))) return;
  mkdirSync(folder, { recursive: true });
  const root = join(of, "root.squashfs");
  buildBundle({ boot: files.boot, root, profile, version, ...signer }, join(folder, "newest.raucb"));
}

/** Makes a copy of a release, with one bit changed in the middle of the bundle. */
export function changeOneBit(release: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(join(release, "newest.json"), join(folder, "newest.json"));
  const bundle = readFileSync(join(release, "newest.raucb"));
  const at = Math.floor(bundle.length / 2);
  bundle.writeUInt8(bundle.readUInt8(at) ^ 1, at);
  writeFileSync(join(folder, "newest.raucb"), bundle);
}
