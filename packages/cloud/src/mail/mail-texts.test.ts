import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { systemClock } from "@ledge/kernel";
import type { EgressTarget } from "../model/egress-state.ts";
import { type Language, languages } from "../model/languages.ts";
import { CloudMail } from "./cloud-mail.ts";
import type { Mail } from "./mailer.ts";
import { mailTexts } from "./mail-texts.ts";

const site = { prefix: "/ui/0.2", isServed: () => true };
const sent = {
  email: "ann@example.org",
  hubId: "hub-1",
  hubName: "Cabin",
  by: "boss@example.org",
  code: "c0de",
  expires: 0,
};
const login = { email: "ann@example.org", password: "ABCDEF", longPassword: "GHJKLM".repeat(4), expires: 0 };
const stopped = (reason: "gone" | "failing"): EgressTarget =>
  ({ id: "main", settings: { url: "https://hooks.example/in?key=hush" }, stop: { reason } }) as EgressTarget;

type Send = (mails: CloudMail, language: Language) => Promise<unknown>;
/** Each mail, and what must be in it in every language. */
const mails: Readonly<Record<string, readonly [send: Send, ...values: string[]]>> = {
  login: [
    (of, language) => of.login(login, { giveBack: () => {} }, language),
    ": ABCDEF\n",
    `: ${login.longPassword}\n`,
    "1970-01-01 00:00 UTC",
  ],
  invitation: [
    (of, language) => of.invitation(sent, site, language),
    "boss@example.org",
    "“Cabin”",
    "1970-01-01 00:00 UTC",
    "\nhttp://cloud.example/ui/0.2/user/invite/accept?code=hub-1.c0de\n",
  ],
  offer: [
    (of, language) => of.offer(sent, site, language),
    "boss@example.org",
    "“Cabin”",
    "1970-01-01 00:00 UTC",
    "\nhttp://cloud.example/ui/0.2/user/ownership/accept?code=hub-1.c0de\n",
  ],
  claimed: [(of, language) => of.claimed("ann@example.org", "hub-1", "192.0.2.1", language), "192.0.2.1"],
  gone: [
    (of, language) =>
      of.egressStopped("ann@example.org", { siteId: "s1", target: stopped("gone") }, language),
    "main",
    "s1",
    "410",
    "hooks.example",
    " 7 ",
  ],
  failing: [
    (of, language) =>
      of.egressStopped("ann@example.org", { siteId: "s1", target: stopped("failing") }, language),
    "main",
    " 24 ",
    "hooks.example",
  ],
};

async function written(send: Send, language: Language): Promise<Mail> {
  const outbox: Mail[] = [];
  const mailer = { send: (mail: Mail) => Promise.resolve(void outbox.push(mail)) };
  await send(
    new CloudMail(mailer, () => "http://cloud.example", createLogger("silent"), systemClock),
    language,
  );
  return outbox[0] ?? assert.fail("no mail");
}

for (const [name, [send, ...values]] of Object.entries(mails))
  test(`the mail ${name} says the same in each language, and in words of its own`, async () => {
    const texts = new Set<string>();
    const lengths = new Set<number>();
    for (const language of languages) {
      const { to, subject, text } = await written(send, language);
      assert.equal(to, "ann@example.org");
      for (const value of values)
        assert.ok(`${subject}\n${text}`.includes(value), `${language}: ${value}: ${text}`);
      assert.doesNotMatch(`${subject}${text}`, /[{}]|hush|undefined/);
      texts.add(subject).add(text);
      lengths.add(text.split("\n\n").length);
    }
    assert.equal(texts.size, 2 * languages.length);
    assert.equal(lengths.size, 1);
  });

test("each language has every mail", () => {
  for (const language of languages)
    assert.deepEqual(Object.keys(mailTexts[language]), Object.keys(mailTexts.en), language);
});
