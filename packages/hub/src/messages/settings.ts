import { languages } from "@ledge/model";
import Type from "typebox";

const closed = { additionalProperties: false };

/** The mail server that e-mail is sent through. */
export const SmtpSettings = Type.Object(
  {
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    /** `tls` from the first byte (port 465), `starttls` or nothing (587), `none` without encryption. */
    security: Type.Union([Type.Literal("tls"), Type.Literal("starttls"), Type.Literal("none")]),
    /** Missing for a server without login. The password is a credential. */
    user: Type.Optional(Type.String({ minLength: 1 })),
    /** The sender address of messages. */
    from: Type.String({ pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$' }),
  },
  closed,
);
export type SmtpSettings = Type.Static<typeof SmtpSettings>;

/** The URL that messages are posted to. The signing key is a credential. */
const Webhook = Type.Object({ url: Type.String({ pattern: "^https?://[^\\s@]+$" }) }, closed);

/** How messages leave the hub (`messages` of a profile). Channels that are not named do not exist. */
export const MessageSettings = Type.Object(
  {
    /** The language for users whose language is unknown. Default: English. */
    language: Type.Optional(Type.Union(languages.map((language) => Type.Literal(language)))),
    email: Type.Optional(SmtpSettings),
    push: Type.Optional(Webhook),
    sms: Type.Optional(Webhook),
  },
  closed,
);
export type MessageSettings = Type.Static<typeof MessageSettings>;
