import { limits } from "@ledge/model";
import Type from "typebox";

/** Tags as users give them; left out there are none. A key has no colon, since filters write `key:value`. */
export const NewTags = Type.Optional(
  Type.Record(
    Type.String({ pattern: `^[^:]{1,${limits.tagKeyChars}}$` }),
    Type.String({ maxLength: limits.tagValueChars }),
    { maxProperties: limits.tags, additionalProperties: false },
  ),
);
