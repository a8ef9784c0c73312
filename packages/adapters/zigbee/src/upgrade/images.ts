import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { open, readFile, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { limits } from "@ledge/model";
import type { AdapterLog } from "@ledge/port";
import type { ImageHead, Running } from "./image.ts";
import { checkImage, isFor, isNewerFor, readHead } from "./image.ts";
import type { Listed, Model } from "./listed.ts";
import { contradictionOf, isForModel, isForVersion, leavesFolder, listedIn, placesOf } from "./listed.ts";

/** Enough of a file to contain its head. */
const headBytes = 8192;
const indexName = "index.json";

/** An image in the folder. */
export interface ImageFile extends ImageHead {
  readonly path: string;
  /** Its entry in the list. */
  readonly listed: Listed;
}

/** The longest list that is read; that of the community has half a megabyte. */
const indexBytes = 4_194_304;

/**
 * A folder of firmware images: the files in it, and those in its subfolders that its index names. Its content is
 * untrusted: invalid files and paths that leave it are skipped, and logged once.
 */
export class Images {
  readonly #folder: string;
  readonly #log: AdapterLog;
  readonly #complained = new Set<string>();
  #files: readonly ImageFile[] = [];

  constructor(folder: string, log: AdapterLog) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Reads the heads of all images. A missing folder counts as empty. */
  async scan(): Promise<void> {
    const there = new Set(await this.#paths());
    const entries = Map.groupBy(await this.#list(), (entry) => this.#pathOf(entry, there));
    const paths = [...there].filter((path) => !path.includes("/") || entries.has(path)).toSorted();
    const [more] = paths.slice(limits.upgradeImages);
    if (more !== undefined) this.#complain(more, `the folder has more than ${limits.upgradeImages} images`);
    const files: ImageFile[] = [];
    for (const path of paths.slice(0, limits.upgradeImages)) {
      const head = await this.#head(path);
      if (head === undefined) continue;
      for (const listed of entries.get(path) ?? [{}]) {
        const wrong = contradictionOf(listed, head);
        if (wrong === undefined) files.push({ ...head, path: join(this.#folder, path), listed });
        else this.#complain(path, `its ${wrong} differs from the list`);
      }
    }
    this.#files = files;
  }

  /**
   * Returns the image to install on a device: the newest that fits its firmware and model, unless its entry has
   * `force`. Such an image replaces any other version, a newer one included.
   */
  newest(running: Running, device: Model): ImageFile | undefined {
    return this.#files
      .filter((file) => (file.listed.force === true ? isFor(file, running) : isNewerFor(file, running)))
      .filter(({ listed }) => isForModel(listed, device) && isForVersion(listed, running))
      .toSorted((a, b) => rankOf(b) - rankOf(a) || b.fileVersion - a.fileVersion)[0];
  }

  /**
   * Reads and checks a whole image.
   * @throws Error that says what is wrong with it.
   */
  async verify({ path, listed, fileVersion }: ImageFile): Promise<void> {
    const bytes = await readFile(path);
    if (bytes.length > limits.upgradeImageBytes) throw new Error("it is too large");
    if (checkImage(bytes).fileVersion !== fileVersion) throw new Error("it has changed");
    const hash = createHash("sha512").update(bytes).digest("hex");
    if (typeof listed.sha512 === "string" && listed.sha512.toLowerCase() !== hash)
      throw new Error("its hash differs from the list");
    if (typeof listed.fileSize === "number" && listed.fileSize !== bytes.length)
      throw new Error("its size differs from the list");
  }

  /** Returns the paths of all files in the folder, with `/` between their parts. */
  async #paths(): Promise<readonly string[]> {
    const options = { recursive: true, withFileTypes: true } as const;
    const found: readonly Dirent[] = await readdir(this.#folder, options).catch(() => []);
    return found
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ parentPath, name }) => relative(this.#folder, join(parentPath, name)).split(sep).join("/"))
      .filter((path) => path !== indexName && !path.split("/").some((part) => part.startsWith(".")));
  }

  /** Returns which file of the folder an entry is about; undefined for one that is not there. */
  #pathOf(entry: Listed, there: ReadonlySet<string>): string | undefined {
    if (leavesFolder(entry)) this.#complain(indexName, "an entry names a file outside of the folder");
    return placesOf(entry).find((path) => there.has(path));
  }

  async #head(name: string): Promise<ImageHead | undefined> {
    try {
      // A link may point anywhere.
      const [folder, path] = await Promise.all([realpath(this.#folder), realpath(join(this.#folder, name))]);
      if (!path.startsWith(folder + sep)) throw new Error("it is outside of the folder");
      const file = await open(path);
      try {
        const { size } = await file.stat();
        if (size > limits.upgradeImageBytes) throw new Error("it is too large");
        const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
        return readHead(buffer.subarray(0, bytesRead), size);
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#complain(name, (error as Error).message);
      return undefined;
    }
  }

  async #list(): Promise<readonly Listed[]> {
    const path = join(this.#folder, indexName);
    const size = await stat(path).then(
      ({ size: bytes }) => bytes,
      () => 0,
    );
    try {
      if (size > indexBytes) throw new Error(`it has more than ${indexBytes} bytes`);
      return listedIn(await readFile(path, "utf8").catch(() => "[]"));
    } catch (error) {
      this.#complain(indexName, (error as Error).message);
      return [];
    }
  }

  #complain(name: string, reason: string): void {
    const complaint = `${name}: ${reason}`;
    if (this.#complained.has(complaint)) return;
    this.#complained.add(complaint);
    this.#log("warn", "a firmware image is skipped", { image: name, reason });
  }
}

function rankOf({ listed }: ImageFile): number {
  return listed.force === true ? 1 : 0;
}
