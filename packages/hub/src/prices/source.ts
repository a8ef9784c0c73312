import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { limits } from "@ledge/model";
import { PriceProblem } from "./price-problem.ts";

/** Where prices are read from. */
export interface PriceSource {
  /** Whether it may be asked at any time; another is asked when there is something to expect. */
  readonly isNear: boolean;
  /**
   * What it says, as JSON; undefined when that is what it said the last time.
   * @throws PriceProblem
   */
  read(): Promise<unknown>;
  /** What it said the last time was not taken: it is news the next time. */
  forget(): void;
}

/**
 * The source that a profile names.
 * @param folder the data folder, to which files are relative
 */
export function priceSource(name: string, folder: string): PriceSource {
  return /^https?:\/\//i.test(name) ? new WebPrices(name) : new FilePrices(resolve(folder, name));
}

/** A file, which is read when it has changed. */
export class FilePrices implements PriceSource {
  readonly isNear = true;
  readonly #file: string;
  #seen: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<unknown> {
    let text: string;
    try {
      const { size, mtimeMs, ino } = await stat(this.#file);
      const version = `${size} ${mtimeMs} ${ino}`;
      if (version === this.#seen) return undefined;
      this.#seen = version;
      if (size > limits.priceBytes) throw new PriceProblem(`${this.#file} is too large`);
      text = await readFile(this.#file, "utf8");
    } catch (error) {
      if (error instanceof PriceProblem) throw error;
      this.#seen = undefined;
      throw new PriceProblem((error as Error).message);
    }
    return parsed(text, this.#file);
  }

  forget(): void {
    this.#seen = undefined;
  }
}

/** An address, which is asked for news only (If-None-Match). Redirects are not followed. */
export class WebPrices implements PriceSource {
  readonly isNear = false;
  readonly #url: string;
  readonly #timeoutMs: number;
  #tag: string | null = null;

  constructor(url: string, timeoutMs: number = limits.priceTimeoutMs) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async read(): Promise<unknown> {
    let text: string;
    let response: Response;
    try {
      response = await fetch(this.#url, {
        headers: { accept: "application/json", ...(this.#tag !== null && { "if-none-match": this.#tag }) },
        redirect: "manual",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      text = await bodyOf(response);
    } catch (error) {
      throw error instanceof PriceProblem ? error : new PriceProblem(problemOf(error as Error));
    }
    if (response.status === 304) return undefined;
    if (response.status !== 200) throw new PriceProblem(`the source of prices answered ${response.status}`);
    const json = parsed(text, "the source of prices");
    this.#tag = response.headers.get("etag");
    return json;
  }

  forget(): void {
    this.#tag = null;
  }
}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limits.priceBytes) throw new PriceProblem("the source of prices answered too much");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PriceProblem(`${from} holds no JSON`);
  }
}

function problemOf({ name, cause }: Error): string {
  if (name === "TimeoutError") return "the source of prices did not answer in time";
  return `the source of prices could not be reached: ${(cause as NodeJS.ErrnoException | undefined)?.code ?? name}`;
}
