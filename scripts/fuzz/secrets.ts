// Finds secrets in answers to readers who must not know them.
import type { CloudAsker } from "./cloud-requests.ts";
import { type CloudWorld, people } from "./cloud-world.ts";

/** A text that only some readers may get. */
interface Secret {
  readonly what: string;
  readonly text: string;
  readonly readers: readonly CloudAsker[];
}

/** Askers who may learn who else has access to their hub. */
const sharers: readonly CloudAsker[] = ["owner", "admin", "other", "hubA", "hubC"];

export function secretsOf(world: CloudWorld): readonly Secret[] {
  return [
    ...people.flatMap((name): Secret[] => {
      const { email, nickname, phone, token } = world.people[name];
      const of = (what: string, text: string, ...readers: CloudAsker[]): Secret => {
        return { what: `the ${what} of ${name}`, text, readers: [name, ...readers] };
      };
      return [
        of("address", email, ...sharers),
        of("nickname", nickname, ...sharers),
        of("phone", phone),
        of("token", token),
      ];
    }),
    { what: "the token of hub a", text: world.a.token, readers: ["hubA"] },
    { what: "the token of hub c", text: world.c.token, readers: ["hubC"] },
    ...world.codes.map((text) => ({ what: "the code of a mail", text, readers: [] })),
  ];
}

/** Returns the secrets in an answer that its reader must not know and did not send. */
export function leaksIn(
  answer: string,
  asked: string,
  reader: CloudAsker,
  secrets: readonly Secret[],
): string[] {
  const said = withDecoded(answer);
  return secrets
    .filter(({ text, readers }) => !readers.includes(reader) && said.includes(text) && !asked.includes(text))
    .map(({ what }) => `reveals ${what} to ${reader}`);
}

/** Returns a text with the decoded base64url parts of signed tokens appended. */
function withDecoded(text: string): string {
  const decoded = Array.from(text.matchAll(/[\w-]{24,}/g), ([part]) =>
    Buffer.from(part, "base64url").toString(),
  );
  return [text, ...decoded].join("\n");
}
