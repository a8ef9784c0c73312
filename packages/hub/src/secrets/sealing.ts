import type { Sealing } from "@ledge/log";
import type { Commit, LoggedEvent } from "@ledge/model";
import { eventDefinitions, secretStates } from "@ledge/model";
import { decrypt, encrypt } from "../aes.ts";
import { writeKeys } from "../key-writes.ts";
import type { SecretKeys } from "./keys.ts";

/**
 * In the place of a secret stands this: AES-256-GCM in base64 of the value's JSON, and the id of the key. Whose it is
 * is authenticated with it.
 */
interface SealedSecret {
  readonly sealed: string;
  readonly by: string;
}

/** Seals what is secret; what it cannot open stays as it is, so that nothing is lost while a key is not at hand. */
export interface SecretSealing extends Sealing {
  /** Why a key, or something sealed that was met, cannot be read. */
  problem(): string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type Change = (value: unknown, subject: string) => unknown;

/** A row of a snapshot or base, as far as it matters here. */
interface Row {
  readonly kind?: string;
  readonly id?: string;
  readonly state?: Fields | null;
}

export function secretSealing(keys: SecretKeys): SecretSealing {
  let unopened = 0;
  const seal: Change = (value, subject) => {
    if (value === undefined || value === null || isSealedSecret(value)) return value;
    const { id, key } = writeKeys("secrets", () => keys.sealing());
    const bytes = encrypt(key, Buffer.from(subject), Buffer.from(JSON.stringify(value)));
    return { sealed: bytes.toString("base64"), by: id } satisfies SealedSecret;
  };
  const open: Change = (value, subject) => {
    if (!isSealedSecret(value)) return value;
    const key = keys.get(value.by);
    const bytes = key && decrypt(key, Buffer.from(subject), Buffer.from(value.sealed, "base64"));
    if (bytes !== undefined) return JSON.parse(bytes.toString()) as unknown;
    unopened += 1;
    return value;
  };
  return {
    seal: (events) => changedEvents(events, seal),
    open: (events) => changedEvents(events, open),
    sealRow: (row) => changedRow(row as Row, seal),
    openRow: (row) => changedRow(row as Row, open),
    problem: () =>
      keys.damage ?? (unopened > 0 ? "they are sealed under a key that is not there" : undefined),
  };
}

/** Whether a value could not be opened: for whoever wants it, it is missing. */
export function isSealedSecret(value: unknown): value is SealedSecret {
  if (typeof value !== "object" || value === null) return false;
  const { sealed, by, ...more } = value as Fields;
  const isKeyId = typeof by === "string" && /^[0-9a-f]{16}$/.test(by);
  return isKeyId && typeof sealed === "string" && Object.keys(more).length === 0;
}

/** Commits from elsewhere as they may stand in a log. */
export function* sealedCommits(commits: Iterable<Commit>, sealing: SecretSealing): Generator<Commit> {
  for (const commit of commits) yield { ...commit, events: sealing.seal(commit.events) };
}

const secretsIn = (type: string): readonly string[] | undefined => eventDefinitions.get(type)?.secrets;

function changedEvents(events: readonly LoggedEvent[], change: Change): readonly LoggedEvent[] {
  if (!events.some(({ type }) => secretsIn(type) !== undefined)) return events;
  return events.map((event) => {
    const fields = secretsIn(event.type) ?? [];
    return withFields(event, fields, (value) => change(value, event.id));
  });
}

function changedRow(row: Row, change: Change): unknown {
  const { kind, id, state } = row;
  const fields = kind === undefined ? undefined : secretStates.get(kind);
  if (fields === undefined || id === undefined || !state) return row;
  const inEach = (values: unknown): unknown =>
    withFields(values as Fields, Object.keys(values as Fields), (value) => change(value, id));
  return { ...row, state: withFields(state, fields, inEach) };
}

function withFields<T extends object>(
  object: T,
  fields: readonly string[],
  change: (value: unknown) => unknown,
): T {
  const changed = fields.map((field) => [field, change((object as Fields)[field])] as const);
  const isSame = changed.every(([field, value]) => (object as Fields)[field] === value);
  return isSame ? object : { ...object, ...Object.fromEntries(changed) };
}
