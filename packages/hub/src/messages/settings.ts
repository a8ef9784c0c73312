import { languages } from "@ledge/model";
import Type from "typebox";

const closed = { additionalProperties: false };

/** Where e-mail is handed in. */
export const SmtpSettings = Type.Object(
  {
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    /** `tls` from the first byte (port 465), `starttls` or nothing (587), `none` in the clear. */
    security: Type.Union([Type.Literal("tls"), Type.Literal("starttls"), Type.Literal("none")]),
    /** Left out where the server asks for nobody. The password is a credential. */
    user: Type.Optional(Type.String({ minLength: 1 })),
    /** The address that messages come from. */
    from: Type.String({ pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$' }),
  },
  closed,
);
export type SmtpSettings = Type.Static<typeof SmtpSettings>;

/** Where messages are posted; the key that signs them is a credential. */
const Webhook = Type.Object({ url: Type.String({ pattern: "^https?://[^\\s@]+$" }) }, closed);

/** How messages leave the hub (`messages` of a profile): a channel that is not named is not there. */
export const MessageSettings = Type.Object(
  {
    /** Of messages to users whose language is not known; English when left out. */
    language: Type.Optional(Type.Union(languages.map((language) => Type.Literal(language)))),
    email: Type.Optional(SmtpSettings),
    push: Type.Optional(Webhook),
    sms: Type.Optional(Webhook),
  },
  closed,
);
export type MessageSettings = Type.Static<typeof MessageSettings>;
