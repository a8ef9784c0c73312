import { hash } from "node:crypto";
import { type Declared, withoutPersonal } from "@ledge/model";

/**
 * The digest of projections. Two logs have the same digest when they lead to the same states, changed in the
 * same order. `add` takes the rows of a snapshot one by one: its head, the entries in order, then states
 * whose order does not matter.
 */
export class ProjectionDigest {
  readonly #declared: Declared;
  readonly #rows: string[] = [];
  #ordered: number | undefined;

  constructor(declared: Declared) {
    this.#declared = declared;
  }

  add(row: unknown): void {
    this.#ordered ??= 1 + ((row as { entries?: number }).entries ?? 0);
    const place = this.#rows.length < this.#ordered ? this.#rows.length : -1;
    const open = withoutSecretState(withoutPersonalState(row, this.#declared), this.#declared);
    this.#rows.push(hash("sha256", `${place} ${canonicalJson(open)}`, "hex"));
  }

  /** Returns the digest, hexadecimal. */
  value(): string {
    return hash("sha256", this.#rows.toSorted().join("\n"), "hex");
  }
}

/** Returns the digest of rows. */
export function digestOf(rows: Iterable<unknown>, declared: Declared): string {
  const digest = new ProjectionDigest(declared);
  for (const row of rows) digest.add(row);
  return digest.value();
}

/** Returns a row with blank personal fields, because a backup may lack the keys that open them. */
export function withoutPersonalState(row: unknown, declared: Declared): unknown {
  const { kind, state } = row as { kind?: string; state?: object | null };
  const fields = kind === undefined ? undefined : declared.personal.get(kind);
  if (fields === undefined || !state) return row;
  return { ...(row as object), state: withoutPersonal(state, fields) };
}

function withoutSecretState(row: unknown, declared: Declared): unknown {
  const { kind, state } = row as { kind?: string; state?: object | null };
  const secrets = kind === undefined ? undefined : declared.secrets.get(kind);
  if (secrets === undefined || !state) return row;
  const open = Object.entries(state).filter(([field]) => !secrets.includes(field));
  return { ...(row as object), state: Object.fromEntries(open) };
}

/** Returns JSON with sorted keys, so that equal values have equal texts. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
