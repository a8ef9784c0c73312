import type { Sealing } from "@ledge/log";
import type { LoggedEvent, PersonalFields } from "@ledge/model";
import { eventDefinitions, personalStates, withPersonal } from "@ledge/model";
import { decrypt, encrypt } from "../aes.ts";
import { writeKeys } from "../key-writes.ts";
import type { PersonalKeys } from "./keys.ts";

/**
 * In the place of a personal field stands this: AES-256-GCM in base64 of the value's JSON. Whose it is is
 * authenticated with it.
 */
interface Sealed {
  readonly sealed: string;
}

/** A row of a snapshot or base, as far as it matters here. */
interface Row {
  readonly kind?: string;
  readonly id?: string;
  readonly state?: object | null;
}

/** Keeps personal fields in the log readable by their person's key only: without it they are blank. */
export function personalSealing(keys: PersonalKeys): Sealing {
  return {
    seal(events) {
      const whose = events.flatMap(({ type, id }) => (fieldsOf(type) === undefined ? [] : [id]));
      if (whose.length === 0) return events;
      writeKeys("personal fields", () => keys.make(whose));
      return events.map((event) => {
        const fields = fieldsOf(event.type);
        return fields === undefined ? event : sealedFields(event, event.id, fields, keys);
      });
    },

    open(events) {
      if (!events.some(({ type }) => fieldsOf(type) !== undefined)) return events;
      return events.map((event): LoggedEvent => {
        const fields = fieldsOf(event.type);
        return fields === undefined ? event : openedFields(event, event.id, fields, keys);
      });
    },

    sealRow: (row) => changedRow(row as Row, (state, id, fields) => sealedFields(state, id, fields, keys)),
    openRow: (row) => changedRow(row as Row, (state, id, fields) => openedFields(state, id, fields, keys)),
  };
}

function fieldsOf(type: string): PersonalFields | undefined {
  return eventDefinitions.get(type)?.personal;
}

function changedRow(
  row: Row,
  change: (state: object, id: string, fields: PersonalFields) => object,
): unknown {
  const { kind, id, state } = row;
  const fields = kind === undefined ? undefined : personalStates.get(kind);
  if (fields === undefined || id === undefined || !state) return row;
  return { ...row, state: change(state, id, fields) };
}

function sealedFields<T extends object>(
  object: T,
  subject: string,
  fields: PersonalFields,
  keys: PersonalKeys,
): T {
  const key = keys.get(subject);
  return withPersonal(object, fields, (value, blank) => {
    if (value === blank) return value;
    return key === undefined ? blank : sealed(key, subject, value);
  });
}

function openedFields<T extends object>(
  object: T,
  subject: string,
  fields: PersonalFields,
  keys: PersonalKeys,
): T {
  const key = keys.get(subject);
  return withPersonal(object, fields, (value, blank) => {
    if (!isSealed(value)) return value;
    return key === undefined ? blank : opened(key, subject, value, blank);
  });
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === "object" && value !== null && "sealed" in value;
}

function sealed(key: Buffer, subject: string, value: unknown): Sealed {
  const bytes = encrypt(key, Buffer.from(subject), Buffer.from(JSON.stringify(value)));
  return { sealed: bytes.toString("base64") };
}

/** Blank when another key has sealed it: the person was forgotten, and came again. */
function opened(key: Buffer, subject: string, { sealed: text }: Sealed, blank: string | null): unknown {
  const bytes = decrypt(key, Buffer.from(subject), Buffer.from(text, "base64"));
  return bytes === undefined ? blank : (JSON.parse(bytes.toString()) as unknown);
}
