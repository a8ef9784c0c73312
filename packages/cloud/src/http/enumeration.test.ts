import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { type Reply, Served } from "./test-served.ts";

/* Nobody may learn whether an address has an account: neither from an answer nor from the work behind it. */

let served: Served;
before(async () => void (served = await Served.start()));
after(() => served.stop());

/** Returns the types of the events that an action has written, in order. */
async function written(act: () => Promise<unknown>): Promise<readonly string[]> {
  const { log } = served.test.cloud.kernel;
  const from = log.last;
  await act();
  return [...log.read(from)].flatMap(({ events }) => events.map(({ type }) => type));
}

const shown = ({ status, text, headers }: Reply): object => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== "date"),
});

const masked = (text: string, email: string): string =>
  text.replaceAll(email, "ADDRESS").replaceAll(/\b[A-Z2-9]{6,}\b/g, "PASSWORD");

/** Everything observable when somebody requests a password and guesses. */
async function seenOf(email: string): Promise<object> {
  const replies: object[] = [];
  const tell = async (path: string, json: object): Promise<void> => {
    replies.push(shown(await served.ui("POST", path, { json })));
  };
  const mails = served.mails.length;
  const asked = await written(() => tell("/user/requestlogin", { email }));
  const sent = served.mails.slice(mails).map(({ subject, text }) => [subject, masked(text, email)]);
  const guessed = await written(() => tell("/user/emaillogin", { email, password: "AAAAAA" }));
  const tried = await written(() => tell("/user/login", { email, password: "not the password" }));
  return { replies, sent, asked, guessed, tried };
}

test("treats addresses with an account, with or without a password, like addresses without one", async () => {
  const known = "known@example.org";
  const token = await served.logIn(known);
  await served.ui("PUT", "/user/password", { token, json: { password: "a long password" } });
  const bare = "bare@example.org";
  await served.logIn(bare);
  await served.test.clock.pass(limits.allowanceMs);
  const stranger = await seenOf("nobody@example.org");
  assert.deepEqual(await seenOf(known), stranger);
  assert.deepEqual(await seenOf(bare), stranger);
  const { sent, asked, tried } = stranger as Record<string, readonly unknown[]>;
  assert.deepEqual([sent?.length, asked?.length, tried?.length], [1, 1, 0]);
});
