import type { Sealing } from "@ledge/log";
import type { Commit, Declared } from "@ledge/model";

import { decrypt, encrypt } from "../aes.ts";
import { writeKeys } from "../key-writes.ts";
import type { SealedFields, Way } from "../sealed-fields.ts";
import type { SecretKeys } from "./keys.ts";

/**
 * What takes the place of a secret: AES-256-GCM in base64 of the value's JSON, and the id of the key. The
 * object's id is authenticated with it.
 */
interface SealedSecret {
  readonly sealed: string;
  readonly by: string;
}

/** Seals secrets; keeps what it cannot open, so that nothing is lost while a key is missing. */
export interface SecretFields extends SealedFields {
  /** Returns why a key, or a sealed value that was read, cannot be used. */
  problem(): string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the codec that seals and opens the declared secrets in fields. */
export function secretFields(keys: SecretKeys, declared: Declared): SecretFields {
  let unopened = 0;
  const sealed = (value: unknown, subject: string): unknown => {
    if (value === undefined || value === null || isSealedSecret(value)) return value;
    const { id, key } = writeKeys("secrets", () => keys.sealing());
    const bytes = encrypt(key, Buffer.from(subject), Buffer.from(JSON.stringify(value)));
    return { sealed: bytes.toString("base64"), by: id } satisfies SealedSecret;
  };
  const opened = (value: unknown, subject: string): unknown => {
    if (!isSealedSecret(value)) return value;
    const key = keys.get(value.by);
    const bytes = key && decrypt(key, Buffer.from(subject), Buffer.from(value.sealed, "base64"));
    if (bytes !== undefined) return JSON.parse(bytes.toString()) as unknown;
    unopened += 1;
    return value;
  };
  const changeOf = (subject: string, way: Way): ((value: unknown) => unknown) => {
    const change = way === "seal" ? sealed : opened;
    return (value) => change(value, subject);
  };
  return {
    inEvent(event, way) {
      const fields = declared.events.get(event.type)?.secrets;
      return fields === undefined ? event : withFields(event, fields, changeOf(event.id, way));
    },
    inState(state, kind, id, way) {
      const change = changeOf(id, way);
      // The values of a record are sealed separately, like the event of each; anything else is one secret.
      const inField = (values: unknown): unknown =>
        isRecord(values) ? withFields(values, Object.keys(values), change) : change(values);
      const fields = declared.secrets.get(kind);
      return fields === undefined ? state : withFields(state, fields, inField);
    },
    problem: () =>
      keys.damage ?? (unopened > 0 ? "they are sealed under a key that is not there" : undefined),
  };
}

/** Returns whether a value could not be opened; for its readers it is missing. */
export function isSealedSecret(value: unknown): value is SealedSecret {
  if (typeof value !== "object" || value === null) return false;
  const { sealed, by, ...more } = value as Fields;
  const isKeyId = typeof by === "string" && /^[0-9a-f]{16}$/.test(by);
  return isKeyId && typeof sealed === "string" && Object.keys(more).length === 0;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isSealedSecret(value);
}

/** Returns commits from elsewhere, sealed for a log. */
export function* sealedCommits(commits: Iterable<Commit>, sealing: Pick<Sealing, "seal">): Generator<Commit> {
  for (const commit of commits) yield { ...commit, events: sealing.seal(commit.events) };
}

function withFields<T extends object>(
  object: T,
  fields: readonly string[],
  change: (value: unknown) => unknown,
): T {
  const changed = fields
    .filter((field) => Object.hasOwn(object, field))
    .map((field) => [field, change((object as Fields)[field])] as const);
  const isSame = changed.every(([field, value]) => (object as Fields)[field] === value);
  return isSame ? object : { ...object, ...Object.fromEntries(changed) };
}
