import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sourceDate } from "../source-date.ts";
import { hubId, serialGroup } from "./hub-user.ts";
import { type Architecture, writeTree } from "./release-tree.ts";

/** Debian packages of the image. tini ends what a hub's adapters leave behind. */
export const imagePackages = ["ca-certificates", "libstdc++6", "tini", "util-linux"] as const;

/** Whose the data folder is. */
export const owner = `${hubId}:${serialGroup}`;

/** How the image runs: https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md. */
export const imageConfig = (version: string) => ({
  User: owner,
  ExposedPorts: { "8893/tcp": {}, "8943/tcp": {} },
  Env: [
    "PATH=/usr/sbin:/usr/bin",
    "UV_THREADPOOL_SIZE=8",
    "MALLOC_ARENA_MAX=1",
    "MALLOC_MMAP_THRESHOLD_=32768",
  ],
  Entrypoint: [
    "/usr/bin/tini",
    "--",
    "/opt/ledge/bin/node",
    "/opt/ledge/lib/hub.mjs",
    "--supervised",
    "exit",
    "--profile",
    "/etc/ledge/profile.json",
    "--data",
    "/var/lib/ledge",
  ],
  Volumes: { "/var/lib/ledge": {} },
  WorkingDir: "/var/lib/ledge",
  Labels: {
    "org.opencontainers.image.title": "Ledge",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "Apache-2.0",
  },
});

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Builds a container image as an OCI layout: a Debian with what Node needs, and the release above it.
 * @param base archive of the Debian's root file system, with `imagePackages`
 * @param profile file of the board's profile
 * @param out folder for the layout; it is replaced
 * @param work folder for intermediate files; it is replaced
 */
export async function buildOci(base: string, profile: string, out: string, work: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const blobs = join(out, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const tree = join(work, "root");
  const { version, board } = await writeTree(tree, profile);
  for (const path of ["usr/lib", "usr/share"]) rmSync(join(tree, path), { recursive: true });
  const state = join(tree, "var", "lib", "ledge");
  mkdirSync(state, { recursive: true });
  const when = sourceDate();
  const release = join(work, "release.tar");
  const [user, group] = owner.split(":");
  // Only the folder of the hub's data is the hub's own.
  const common = [
    "--sort=name",
    `--mtime=@${when}`,
    "--numeric-owner",
    "--mode=u+rwX,go+rX,go-w",
    "-C",
    tree,
  ];
  execFileSync("tar", ["-cf", release, ...common, "--owner=0", "--group=0", "opt", "usr", "etc"]);
  execFileSync("tar", ["-rf", release, ...common, `--owner=${user}`, `--group=${group}`, "var/lib/ledge"]);
  const layers = [await layer(base, blobs, work), await layer(release, blobs, work)];
  const created = new Date(when * 1000).toISOString();
  const image = {
    created,
    architecture: board.architecture satisfies Architecture,
    os: "linux",
    config: imageConfig(version),
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created })),
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: json("application/vnd.oci.image.config.v1+json", image, blobs),
    layers: layers.map(({ blob }) => blob),
  };
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        ...json(manifest.mediaType, manifest, blobs),
        platform: { architecture: board.architecture, os: "linux" },
        annotations: { "org.opencontainers.image.ref.name": version },
      },
    ],
  };
  writeFileSync(join(out, "index.json"), JSON.stringify(index));
  writeFileSync(join(out, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}

async function layer(
  archive: string,
  blobs: string,
  work: string,
): Promise<{ readonly blob: Blob; readonly diffId: string }> {
  const packed = join(work, "layer.gz");
  await pipeline(createReadStream(archive), createGzip({ level: 6 }), createWriteStream(packed));
  const digest = await sha256(packed);
  cpSync(packed, join(blobs, digest));
  const mediaType = "application/vnd.oci.image.layer.v1.tar+gzip";
  const blob = { mediaType, digest: `sha256:${digest}`, size: statSync(packed).size };
  return { blob, diffId: `sha256:${await sha256(archive)}` };
}

function json(mediaType: string, value: object, blobs: string): Blob {
  const text = JSON.stringify(value);
  const digest = createHash("sha256").update(text).digest("hex");
  writeFileSync(join(blobs, digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
