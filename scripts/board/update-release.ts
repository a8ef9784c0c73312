import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
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
import { promisify } from "node:util";
import { makeSelfSigned } from "@ledge/host/self-signed";
import type { ImageFiles } from "./image.ts";
import { buildBundle, type Bundled } from "./update-bundle.ts";

const run = promisify(execFile);

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
      response.on("close", () => {
        const sent = request.socket.bytesWritten;
        if (!response.writableFinished)
          console.error(`the feed has sent ${sent} bytes, and ${name} is not whole`);
      });
      createReadStream(join(folder, name)).pipe(response);
    });
    // An emulated machine that stands still, or is slow, is not given up.
    Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
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
export async function makeRelease(
  files: ImageFiles,
  profile: string,
  folder: string,
  { version, signer, change = () => {} }: Variant,
): Promise<void> {
  if (existsSync(join(folder, "newest.json"))) return;
  mkdirSync(folder, { recursive: true });
  const [tree, root] = [join(folder, "tree"), join(folder, "root.squashfs")];
  for (const path of [tree, root]) rmSync(path, { recursive: true, force: true });
  await run("unsquashfs", ["-quiet", "-no-progress", "-dest", tree, files.root]);
  const file = join(tree, "opt/ledge/package.json");
  const about = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...about, version }));
  change(tree);
  const packing = ["-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "3"];
  await run("mksquashfs", [tree, root, ...packing]);
  rmSync(tree, { recursive: true });
  buildBundle({ boot: files.boot, root, profile, version, ...signer }, join(folder, "newest.raucb"));
}

/** Makes what a bundle may bring, so small that machines unpack it at once. @returns its files */
export function makeSmall(folder: string): Pick<Bundled, "boot" | "root"> {
  const files = { boot: join(folder, "small.vfat"), root: join(folder, "small.squashfs") };
  // Noise, so that a bit of it is in the middle of the bundle.
  for (const path of Object.values(files)) writeFileSync(path, randomBytes(1 << 20));
  return files;
}

/** Makes a bundle in a folder, beside what announces it. @param folder for it; it is left as it is when it was made before */
export function makeBundle(folder: string, bundled: Bundled): void {
  if (existsSync(join(folder, "newest.json"))) return;
  mkdirSync(folder, { recursive: true });
  buildBundle(bundled, join(folder, "newest.raucb"));
}

/** Has a release be announced as another one. */
export function announce(release: string, version: string): void {
  const file = join(release, "newest.json");
  const feed = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...feed, version }));
}

/** As `makeBundle`, with one bit of the bundle changed in its middle. */
export function makeChanged(folder: string, bundled: Bundled): void {
  if (existsSync(join(folder, "newest.json"))) return;
  makeBundle(folder, bundled);
  const file = join(folder, "newest.raucb");
  const bundle = readFileSync(file);
  const at = Math.floor(bundle.length / 2);
  bundle.writeUInt8(bundle.readUInt8(at) ^ 1, at);
  writeFileSync(file, bundle);
}
