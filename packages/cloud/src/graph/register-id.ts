import { limits } from "@ledge/model";
import Type from "typebox";

/** The id of a device register (platform-api 2.3). */
export const RegisterId = Type.String({
  minLength: limits.registerIdMinChars,
  maxLength: limits.registerIdMaxChars,
  pattern: "^[A-Za-z0-9_-]+$",
});
