import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { limits } from "@ledge/model";
import { ForbiddenAddress, LateAnswer, type Outgoing } from "@ledge/link/outgoing";
import { PriceProblem } from "./price-problem.ts";

/** A source of prices. */
export interface PriceSource {
  /** Whether the source may be read at any time. Others are asked only when new prices are expected. */
  readonly isNear: boolean;
  /**
   * Reads the source as JSON; undefined when it has not changed since the last read.
   * @throws PriceProblem
   */
  read(): Promise<unknown>;
  /** Makes the next read return the content again, because the last one was not stored. */
  forget(): void;
}

/**
 * Returns the source that a profile names.
 * @param folder the data folder; file names are relative to it
 */
export function priceSource(name: string, folder: string, outgoing: Outgoing): PriceSource {
  return /^https?:\/\//i.test(name) ? new WebPrices(name, outgoing) : new FilePrices(resolve(folder, name));
}

/** A file that is read when it has changed. */
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

/** A web address that is asked only for changes (If-None-Match). Redirects are not followed. */
export class WebPrices implements PriceSource {
  readonly isNear = false;
  readonly #url: string;
  readonly #outgoing: Outgoing;
  readonly #timeoutMs: number;
  #tag: string | undefined;

  constructor(url: string, outgoing: Outgoing, timeoutMs: number = limits.priceTimeoutMs) {
    this.#url = url;
    this.#outgoing = outgoing;
    this.#timeoutMs = timeoutMs;
  }

  async read(): Promise<unknown> {
    const tag = this.#tag;
    const { status, headers, body, isCut } = await this.#outgoing
      .exchange(this.#url, {
        method: "GET",
        headers: { accept: "application/json", ...(tag !== undefined && { "if-none-match": tag }) },
        timeoutMs: this.#timeoutMs,
        bytesMax: limits.priceBytes,
      })
      .catch((error: unknown) => {
        throw new PriceProblem(problemOf(error as Error));
      });
    if (isCut) throw new PriceProblem("the source of prices answered too much");
    if (status === 304) return undefined;
    if (status !== 200) throw new PriceProblem(`the source of prices answered ${status}`);
    const json = parsed(body, "the source of prices");
    this.#tag = headers.etag;
    return json;
  }

  forget(): void {
    this.#tag = undefined;
  }
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PriceProblem(`${from} holds no JSON`);
  }
}

function problemOf(error: NodeJS.ErrnoException): string {
  if (error instanceof LateAnswer) return "the source of prices did not answer in time";
  if (error instanceof ForbiddenAddress) return `the source of prices is not asked: ${error.message}`;
  return `the source of prices could not be reached: ${error.code ?? error.name}`;
}
