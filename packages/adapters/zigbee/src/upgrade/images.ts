import { createHash } from "node:crypto";
import { open, readFile, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { limits } from "@ledge/model";
import type { AdapterLog } from "@ledge/port";
import type { ImageHead, Running } from "./image.ts";
import { checkImage, isNewerFor, readHead } from "./image.ts";

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
 * An entry of `index.json`, as in the index of the community (Koenkk/zigbee-OTA). Only `fileName` or `url` is
 * required. Nothing is downloaded: of a URL, only the file name counts.
 */
interface Listed {
  readonly fileName?: unknown;
  readonly url?: unknown;
  /** Hex, of the whole file. */
  readonly sha512?: unknown;
  readonly fileSize?: unknown;
  /** What the head of the file must say. */
  readonly fileVersion?: unknown;
  readonly imageType?: unknown;
  readonly manufacturerCode?: unknown;
  /** The devices that it is for. */
  readonly modelId?: unknown;
  readonly manufacturerName?: unknown;
  readonly minFileVersion?: unknown;
  readonly maxFileVersion?: unknown;
  readonly hardwareVersionMin?: unknown;
  readonly hardwareVersionMax?: unknown;
}

/** The manufacturer and model of a device. */
export interface Model {
  readonly manufacturer: string | null;
  readonly model: string | null;
}

/** A folder of firmware images. Its content is untrusted: invalid files are skipped, and logged once. */
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
    const names = (await readdir(this.#folder).catch(() => []))
      .filter((name) => !name.startsWith(".") && name !== indexName)
      .toSorted()
      .slice(0, limits.upgradeImages);
    const list = await this.#list();
    const files: ImageFile[] = [];
    for (const name of names) {
      const head = await this.#head(name);
      if (head === undefined) continue;
      const entries = list.filter((entry) => nameOf(entry) === name);
      for (const listed of entries.length > 0 ? entries : [{}]) {
        const wrong = contradictionOf(listed, head);
        if (wrong === undefined) files.push({ ...head, path: join(this.#folder, name), listed });
        else this.#complain(name, `its ${wrong} differs from the list`);
      }
    }
    this.#files = files;
  }

  /** Returns the newest image that fits a device's firmware and model. */
  newest(running: Running, device: Model): ImageFile | undefined {
    return this.#files
      .filter((file) => isNewerFor(file, running) && isForModel(file.listed, device))
      .filter(({ listed }) => isForVersion(listed, running))
      .toSorted((a, b) => b.fileVersion - a.fileVersion)[0];
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

  async #head(name: string): Promise<ImageHead | undefined> {
    try {
      const file = await open(join(this.#folder, name));
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
    const text = size > indexBytes ? "" : await readFile(path, "utf8").catch(() => "[]");
    try {
      if (size > indexBytes) throw new Error(`it has more than ${indexBytes} bytes`);
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list)) return list.filter((entry) => typeof entry === "object" && entry !== null);
      this.#complain(indexName, "it is not a list");
    } catch (error) {
      this.#complain(indexName, (error as Error).message);
    }
    return [];
  }

  #complain(name: string, reason: string): void {
    const complaint = `${name}: ${reason}`;
    if (this.#complained.has(complaint)) return;
    this.#complained.add(complaint);
    this.#log("warn", "a firmware image is skipped", { image: name, reason });
  }
}

function isForModel({ modelId, manufacturerName }: Listed, { manufacturer, model }: Model): boolean {
  if (typeof modelId === "string" && modelId !== model) return false;
  return !Array.isArray(manufacturerName) || manufacturerName.includes(manufacturer);
}

/** Returns the name of the file that an entry is about. */
function nameOf({ fileName, url }: Listed): string | undefined {
  if (typeof fileName === "string") return fileName;
  return typeof url === "string" ? basename(url.split(/[?#]/, 1)[0] ?? "") : undefined;
}

/** Returns a field in which an entry differs from the head of its file. */
function contradictionOf(listed: Listed, head: ImageHead): string | undefined {
  const fields = ["fileVersion", "imageType", "manufacturerCode"] as const;
  return fields.find((field) => listed[field] !== undefined && listed[field] !== head[field]);
}

/** Whether a device runs one of the versions, on one of the boards, that an entry names. */
function isForVersion(listed: Listed, { fileVersion, hardwareVersion }: Running): boolean {
  const { minFileVersion, maxFileVersion, hardwareVersionMin, hardwareVersionMax } = listed;
  return (
    isWithin(fileVersion, minFileVersion, maxFileVersion) &&
    (hardwareVersion === undefined || isWithin(hardwareVersion, hardwareVersionMin, hardwareVersionMax))
  );
}

function isWithin(value: number, least: unknown, most: unknown): boolean {
  return !(typeof least === "number" && value < least) && !(typeof most === "number" && value > most);
}
