// Looks for what an answer must not say to whom.
import type { CloudAsker } from "./cloud-requests.ts";
import { type CloudWorld, people } from "./cloud-world.ts";

/** Something that stands for whom it is about: whoever else reads it has been told too much. */
interface Secret {
  readonly what: string;
  readonly text: string;
  readonly readers: readonly CloudAsker[];
}

/** Those who may be told who else has access to a hub of theirs. */
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

/** What an answer says that its reader must not know, and has not said. */
export function leaksIn(
  answer: string,
  asked: string,
  reader: CloudAsker,
  secrets: readonly Secret[],
): string[] {
  const said = withDecoded(answer);
  return secrets
    .filter(({ text, readers }) => !readers.includes(reader) && said.includes(text) && !asked.includes(text))
    .map(({ what }) => `tells ${reader} ${what}`);
}

/** A text, and behind it what its parts in base64url say: those of signed tokens. */
function withDecoded(text: string): string {
  const decoded = Array.from(text.matchAll(/[\w-]{24,}/g), ([part]) =>
    Buffer.from(part, "base64url").toString(),
  );
  return [text, ...decoded].join("\n");
}
