import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { limits } from "@ledge/model";
import type { AdapterLog } from "@ledge/port";
import { type Listed, listedIn, type ListedUpgrade, newestFor, type Running } from "./listed.ts";

const indexName = "index.json";
const indexBytes = 4_194_304;

/** Firmware for a part of a device, as it is sent. */
export interface FirmwarePart {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly firmwareTarget: number;
  /** As devices compute it (CRC-CCITT). */
  readonly checksum: number;
}

/** A folder of firmware images with a list, `index.json`, that says which devices they are for. Its content is untrusted. */
export class Images {
  readonly #folder: string;
  readonly #log: AdapterLog;
  #list: readonly Listed[] = [];
  #complaint = "";

  constructor(folder: string, log: AdapterLog) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Reads the list. A missing one counts as empty, and so does a damaged one, which is logged once. */
  async scan(): Promise<void> {
    const path = join(this.#folder, indexName);
    try {
      const { size } = await stat(path).catch(() => ({ size: 0 }));
      if (size > indexBytes) throw new Error(`it has more than ${indexBytes} bytes`);
      this.#list = size === 0 ? [] : listedIn(await readFile(path, "utf8"));
      this.#complaint = "";
    } catch (error) {
      const reason = (error as Error).message;
      this.#list = [];
      if (reason !== this.#complaint)
        this.#log("warn", "the list of firmware images is skipped", { path, reason });
      this.#complaint = reason;
    }
  }

  newestFor(running: Running): ListedUpgrade | undefined {
    return newestFor(this.#list, running);
  }

  /**
   * Reads and checks the files of an upgrade.
   * @throws Error that says what is wrong with one
   */
  async read({ files }: ListedUpgrade): Promise<FirmwarePart[]> {
    const parts: FirmwarePart[] = [];
    for (const { url, target, integrity } of files) {
      // Of a web address, the end of its path counts.
      const name = basename(url.replace(/[?#].*$/, ""));
      const bytes = await this.#bytesOf(name);
      const hash = createHash("sha256").update(bytes).digest("hex");
      if (integrity !== undefined && integrity.toLowerCase() !== `sha256:${hash}`)
        throw new Error(`${name}: its hash differs from the list`);
      parts.push(await partOf(name, bytes, target));
    }
    return parts;
  }

  /**
   * Reads a file of the folder by its name.
   * @throws Error that says what is wrong with it
   */
  async file(name: string): Promise<FirmwarePart> {
    return await partOf(name, await this.#bytesOf(name), undefined);
  }

  async #bytesOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const path = await realpath(join(this.#folder, name)).catch(() => undefined);
    if (path === undefined) throw new Error(`${name} is not in the folder`);
    // A link may point anywhere.
    if (dirname(path) !== (await realpath(this.#folder))) throw new Error(`${name} is outside of the folder`);
    if ((await stat(path)).size > limits.upgradeImageBytes) throw new Error(`${name} is too large`);
    return Uint8Array.from(await readFile(path));
  }
}

/** The library is loaded already: somebody has a device. */
async function partOf(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  target: number | undefined,
): Promise<FirmwarePart> {
  const [{ extractFirmware, guessFirmwareFileFormat, tryUnzipFirmwareFile }, { CRC16_CCITT }] =
    await Promise.all([import("zwave-js/Utils"), import("@zwave-js/core")]);
  const isZip = name.toLowerCase().endsWith(".zip");
  const unzipped = isZip ? tryUnzipFirmwareFile(bytes) : undefined;
  if (isZip && unzipped === undefined) throw new Error(`${name} holds no firmware, or several files`);
  const format = unzipped?.format ?? guessFirmwareFileFormat(name, bytes);
  const { data, firmwareTarget } = await extractFirmware(unzipped?.rawData ?? bytes, format);
  if (data.length === 0) throw new Error(`${name} holds no firmware`);
  const checksum = CRC16_CCITT(data);
  return { data: Uint8Array.from(data), firmwareTarget: target ?? firmwareTarget ?? 0, checksum };
}
