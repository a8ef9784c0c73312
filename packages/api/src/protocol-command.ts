import { limits } from "@ledge/model";
import Type from "typebox";

/** PROTOCOL_CONFIG_COMMAND (wire-facts 2.1): its adapter knows what it holds beside the type. */
export const ProtocolCommand = Type.Object(
  { type: Type.String({ minLength: 1, maxLength: limits.protocolCommandChars }) },
  { additionalProperties: true },
);
export type ProtocolCommand = Type.Static<typeof ProtocolCommand> & { readonly [field: string]: unknown };
