import { answerKey, identifyKey } from "./rtu-frames.ts";
import type { Table } from "./point.ts";
import type { ReadRequest, Request } from "./request.ts";
import { answerBytes, functionCode } from "./request.ts";

/** After this time without an answer a device will not answer any more. */
const forgottenMs = 10_000;

interface Owed {
  readonly key: string;
  readonly code: number;
  readonly since: number;
}

/** Returns the key that the answer to a request will have. */
export function expectedKey(request: Request): string {
  const code = functionCode(request);
  if (request.kind === "identify") return identifyKey;
  return request.kind === "read"
    ? `read ${code} ${answerBytes(request)}`
    : `write ${code} ${request.register}`;
}

/**
 * Tracks owed answers: requests that were given up but may still be answered. Serial answers carry no number,
 * so a late answer looks like the answer to the next request of the same form. But a device answers in order:
 * once it has answered a request of another form, it will not answer earlier ones. So while an answer of a
 * request's form is owed, a probe, a read of a different form, must be answered first.
 */
export class LateAnswers {
  readonly #owed = new Map<number, readonly Owed[]>();

  /** Records that a request to a device was given up. */
  owe(unit: number, request: Request, now: number): void {
    const owed = { key: expectedKey(request), code: functionCode(request), since: now };
    this.#owed.set(unit, [...this.#live(unit, now), owed]);
  }

  /** Returns the probe to send before this request; undefined when its answer is unambiguous. */
  probeBefore(unit: number, request: Request, now: number): ReadRequest | undefined {
    const keys = new Set(this.#live(unit, now).map(({ key }) => key));
    if (!keys.has(expectedKey(request))) return undefined;
    if (request.kind === "identify") return this.#probe(keys, "holding", 0);
    return this.#probe(keys, request.table, request.register);
  }

  #probe(keys: ReadonlySet<string>, table: Table, register: number): ReadRequest {
    const bits = table === "coil" || table === "discrete";
    for (let count = 1; ; count += bits ? 8 : 1) {
      const probe: ReadRequest = {
        kind: "read",
        table,
        register: Math.min(register, 0x10000 - count),
        count,
      };
      if (!keys.has(expectedKey(probe))) return probe;
    }
  }

  /**
   * Records an answer of a device.
   * @param answer its frame.
   * @param awaited the key of the expected answer of this device, and its function.
   * @returns whether it is the expected answer.
   */
  accept(
    unit: number,
    answer: Uint8Array,
    awaited: { readonly key: string; readonly code: number } | undefined,
    now: number,
  ): boolean {
    const owed = this.#live(unit, now);
    const code = answer[1] ?? 0;
    const exception = code > 0x80;
    const late = owed.findIndex((entry) =>
      exception ? entry.code === (code & 0x7f) : entry.key === answerKey(answer),
    );
    const fits =
      awaited !== undefined &&
      (exception ? awaited.code === (code & 0x7f) : awaited.key === answerKey(answer));
    if (fits && late < 0) this.#owed.delete(unit);
    else if (late >= 0) this.#owed.set(unit, owed.slice(late + 1));
    return fits && late < 0;
  }

  #live(unit: number, now: number): readonly Owed[] {
    // The wall clock may be set back: an entry from the future counts as forgotten.
    return (this.#owed.get(unit) ?? []).filter(({ since }) => now >= since && now - since < forgottenMs);
  }
}
