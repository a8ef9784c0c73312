const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const closeDelta = Buffer.from("}}");
const closePoll = Buffer.from("]}");

/** More fragments than this of one answer are not kept room for until the next. */
const roomMax = 1024;
const notShown = -1;

/**
 * Collects the fragments of a poll answer by category, then writes them at once. Made once and used for one
 * answer after the other, to save what it would allocate.
 */
export class Answer {
  readonly #fragments: Uint8Array[][];
  /** How many fragments of a category count, or `notShown`. */
  readonly #counts: number[];
  /** Bytes of a category's fragments, with a comma before each but the first. */
  readonly #lengths: number[];

  /** @param categories how many there are. */
  constructor(categories: number) {
    this.#fragments = Array.from({ length: categories }, () => []);
    this.#counts = Array.from({ length: categories }, () => notShown);
    this.#lengths = Array.from({ length: categories }, () => 0);
  }

  /** Begins another answer. */
  clear(): void {
    this.#counts.fill(notShown);
    this.#lengths.fill(0);
  }

  /** Has a category appear even if nothing is added to it. */
  show(category: number): void {
    if (this.#counts[category] === notShown) this.#counts[category] = 0;
  }

  /** Adds an object, as `"<id>":<JSON>`. */
  add(category: number, fragment: Uint8Array): void {
    this.show(category);
    const count = this.#counts[category] as number;
    (this.#fragments[category] as Uint8Array[])[count] = fragment;
    this.#counts[category] = count + 1;
    (this.#lengths[category] as number) += fragment.length + (count > 0 ? 1 : 0);
  }

  /**
   * The answer as bytes; at least one category is shown.
   * @param start up to the first delta; `headers` are each category's, up to its first object.
   */
  write(start: Uint8Array, headers: readonly Uint8Array[]): Uint8Array {
    let length = start.length + closePoll.length - 1;
    for (let category = 0; category < headers.length; category++) {
      if (this.#counts[category] === notShown) continue;
      const header = headers[category] as Uint8Array;
      length += header.length + (this.#lengths[category] as number) + closeDelta.length + 1;
    }
    const out = Buffer.allocUnsafe(length);
    let at = copy(start, out, 0);
    let isFirst = true;
    for (let category = 0; category < headers.length; category++) {
      const count = this.#counts[category] as number;
      if (count === notShown) continue;
      if (!isFirst) out[at++] = comma;
      isFirst = false;
      at = copy(headers[category] as Uint8Array, out, at);
      const fragments = this.#fragments[category] as Uint8Array[];
      at = copyJoined(fragments, count, out, at);
      if (count > roomMax) fragments.length = 0;
      at = copy(closeDelta, out, at);
    }
    copy(closePoll, out, at);
    return out;
  }
}

/** `{<fragment>,<fragment>}` as bytes. */
export function dictionaryOf(fragments: readonly Uint8Array[]): Uint8Array {
  let length = 2 + Math.max(fragments.length - 1, 0);
  for (const fragment of fragments) length += fragment.length;
  const out = Buffer.allocUnsafe(length);
  out[0] = openBrace;
  out[copyJoined(fragments, fragments.length, out, 1)] = closeBrace;
  return out;
}

function copyJoined(fragments: readonly Uint8Array[], count: number, to: Uint8Array, from: number): number {
  let at = from;
  for (let index = 0; index < count; index++) {
    if (index > 0) to[at++] = comma;
    at = copy(fragments[index] as Uint8Array, to, at);
  }
  return at;
}

function copy(from: Uint8Array, to: Uint8Array, at: number): number {
  to.set(from, at);
  return at + from.length;
}
