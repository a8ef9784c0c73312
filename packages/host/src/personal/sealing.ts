import type { Declared, PersonalFields } from "@ledge/model";
import { withPersonal } from "@ledge/model";
import { decrypt, encrypt } from "../aes.ts";
import { writeKeys } from "../key-writes.ts";
import type { SealedFields, Way } from "../sealed-fields.ts";
import type { Keyring } from "./keyring.ts";

/**
 * What takes the place of a personal field: AES-256-GCM in base64 of the value's JSON. The person's id is
 * authenticated with it.
 */
interface Sealed {
  readonly sealed: string;
}

/** Keeps personal fields in the log readable only with their person's key; without it they are blank. */
export function personalFields(keys: Pick<Keyring, "get" | "make">, declared: Declared): SealedFields {
  const fieldsOf = (type: string): PersonalFields | undefined => declared.events.get(type)?.personal;
  const changed = <T extends object>(object: T, subject: string, fields: PersonalFields, way: Way): T => {
    const key = keys.get(subject);
    const change = way === "seal" ? sealed : opened;
    return withPersonal(object, fields, (value, blank) => change(value, blank, subject, key));
  };
  return {
    prepare(events) {
      const whose = events.flatMap(({ type, id }) => (fieldsOf(type) === undefined ? [] : [id]));
      if (whose.length > 0) writeKeys("personal fields", () => keys.make(whose));
    },
    inEvent(event, way) {
      const fields = fieldsOf(event.type);
      return fields === undefined ? event : changed(event, event.id, fields, way);
    },
    inState(state, kind, id, way) {
      const fields = declared.personal.get(kind);
      return fields === undefined ? state : changed(state, id, fields, way);
    },
  };
}

/** Blank without a key: the person was forgotten. */
function sealed(value: unknown, blank: string | null, subject: string, key: Buffer | undefined): unknown {
  if (value === blank) return value;
  if (key === undefined) return blank;
  const bytes = encrypt(key, Buffer.from(subject), Buffer.from(JSON.stringify(value)));
  return { sealed: bytes.toString("base64") } satisfies Sealed;
}

/** Blank with another key too: the person was forgotten and added again. */
function opened(value: unknown, blank: string | null, subject: string, key: Buffer | undefined): unknown {
  if (!isSealed(value)) return value;
  const bytes = key && decrypt(key, Buffer.from(subject), Buffer.from(value.sealed, "base64"));
  return bytes === undefined ? blank : (JSON.parse(bytes.toString()) as unknown);
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === "object" && value !== null && "sealed" in value;
}
