import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { roles } from "@ledge/model";
import { mailTexts } from "../mail/mail-texts.ts";
import { type Language, languages } from "../model/languages.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { type Reply, Served } from "./test-served.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
});
after(() => served.stop());

type Kind = "login" | "invitation" | "offer" | "claimed";
/** Fails unless the newest mail to an address is of a kind, in a language. */
function assertMail(email: string, kind: Kind, language: Language): void {
  assert.equal(served.mailTo(email).subject, mailTexts[language][kind].subject, `${email} ${kind}`);
}
const speaking = (language?: string) =>
  language === undefined ? {} : { headers: { "accept-language": language } };
const ask = (email: string, language?: string): Promise<Reply> =>
  served.ui("POST", "/user/requestlogin", { json: { email }, ...speaking(language) });
/** Logs somebody in with a program that speaks a language. @returns the cloud token */
async function logIn(email: string, language?: string): Promise<string> {
  assert.equal((await ask(email, language)).status, 200);
  const json = { email, password: served.passwordOf(email) };
  const { status, text } = await served.ui("POST", "/user/emaillogin", { json, ...speaking(language) });
  assert.equal(status, 200);
  return text;
}
const languageOf = async (token: string): Promise<unknown> =>
  ((await served.ui("GET", "/user", { token })).json as { language: unknown }).language;

describe("bad input", () => {
  test("a language that is none of the cloud's is refused", async () => {
    for (const language of ["fr", "", "FI", 7, ["fi"], {}]) {
      const reply = await served.ui("PUT", "/user", { token: owner, json: { language } });
      assert.equal(reply.status, 422, JSON.stringify(language));
    }
    assert.equal(await languageOf(owner), null);
  });

  test("a request for languages that nobody speaks is answered in English", async () => {
    for (const language of ["fr", "*", ";;q=,", "x".repeat(5000), "fi;q=0"]) {
      const email = `odd${language.length}@example.org`;
      assert.equal((await ask(email, language)).status, 200);
      assertMail(email, "login", "en");
    }
  });
});

test("a first password comes in the language of the program that asks for it", async () => {
  for (const language of languages) {
    const email = `new-${language}@example.org`;
    assert.equal((await ask(email, `${language}-XX, en;q=0.5`)).status, 200);
    assertMail(email, "login", language);
  }
});

test("an account keeps the language of its first login, until it says another", async () => {
  const token = await logIn("ada@example.org", "fi-FI");
  assert.equal(await languageOf(token), "fi");
  await logIn("ada@example.org", "sv");
  assertMail("ada@example.org", "login", "fi");
  assert.equal(await languageOf(token), "fi");
  assert.equal((await served.ui("PUT", "/user", { token, json: { language: "de" } })).status, 200);
  await ask("ADA@example.org", "sv");
  assertMail("ada@example.org", "login", "de");
  assert.equal(
    (await served.ui("PUT", "/user", { token, json: { nickname: "Ada", language: null } })).status,
    200,
  );
  assert.equal(await languageOf(token), "de");
});

test("an invitation speaks the language of who gets it, or else that of who sends it", async () => {
  await logIn("swede@example.org", "sv");
  const invite = async (email: string, language?: string): Promise<void> => {
    const json = { hubId: hub.id, email, role: roles.IDENTIFIED_USER };
    const reply = await served.ui("POST", "/user/invite", { token: owner, json, ...speaking(language) });
    assert.equal(reply.status, 200, reply.text);
  };
  await invite("swede@example.org", "de");
  assertMail("swede@example.org", "invitation", "sv");
  await invite("unknown@example.org", "de");
  assertMail("unknown@example.org", "invitation", "de");
  assert.equal((await served.ui("PUT", "/user", { token: owner, json: { language: "fi" } })).status, 200);
  await invite("other@example.org", "de");
  assertMail("other@example.org", "invitation", "fi");
  const fields = { hubId: hub.id, email: "third@example.org", role: "USER" };
  const { error } = await served.graph(owner, { type: "InviteUserHubCommand", ...fields });
  assert.equal(error, undefined);
  assertMail("third@example.org", "invitation", "fi");
});

test("an offer and the word of a claim speak the language of who gets them", async () => {
  await logIn("heir@example.org", "de");
  await served.invited(owner, hub.id, "heir@example.org", roles.USER_ADMIN);
  const json = { hubId: hub.id, email: "heir@example.org" };
  assert.equal((await served.ui("POST", "/user/ownership", { token: owner, json })).status, 200);
  assertMail("heir@example.org", "offer", "de");
  await logIn("claimer@example.org", "fi");
  await served.claimed("claimer@example.org");
  const subjects = served.mails
    .filter(({ to }) => to === "claimer@example.org")
    .map(({ subject }) => subject);
  assert.ok(subjects.includes(mailTexts.fi.claimed.subject), subjects.join());
});

test("the language of an account goes with the account", async () => {
  const token = await logIn("gone@example.org", "sv");
  const id = served.accountId("gone@example.org");
  assert.equal(await languageOf(token), "sv");
  assert.equal((await served.ui("DELETE", "/user", { token })).status, 200);
  assert.equal(served.test.cloud.kernel.get("account", id)?.language, null);
});
