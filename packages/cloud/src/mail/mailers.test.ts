import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { systemClock } from "@ledge/kernel";
import { Refused } from "@ledge/link";
import { temporaryFolder } from "@ledge/testkit";
import { SMTPServer } from "smtp-server";
import { CloudMail } from "./cloud-mail.ts";
import { folderMailer } from "./folder-mailer.ts";
import { MailError } from "./mailer.ts";
import { smtpMailer } from "./smtp-mailer.ts";

const mail = { to: "ann@example.org", subject: "Your password", text: "Log in with ÄBC\n" };

interface Taken {
  readonly to: string[];
  readonly text: string;
}

/** A mail server that refuses one recipient. */
async function mailServer(refused?: string) {
  const mails: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _, done) =>
      address === refused ? done(Object.assign(new Error(`no ${address}`), { responseCode: 550 })) : done(),
    onData: (stream, { envelope }, done) => {
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.on("end", () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  const settings = { host: "127.0.0.1", port, security: "none", from: "cloud@example.org" } as const;
  return {
    mails,
    mailer: smtpMailer(settings),
    close: () => new Promise<void>((done) => server.close(done)),
  };
}

test("hands a mail to the mail server, for one address only", async (t) => {
  const { mails, mailer, close } = await mailServer();
  t.after(close);
  await mailer.send(mail);
  await mailer.send({ ...mail, to: "ann@example.org, bob@example.org" }).catch(() => {});
  const [{ to, text } = assert.fail(), odd] = mails;
  assert.deepEqual(to, ["ann@example.org"]);
  assert.match(text, /^From: Ledge <cloud@example\.org>\r?$/m);
  assert.match(text, /^Subject: Your password\r?$/m);
  assert.match(text, /Log in with =C3=84BC/);
  assert.ok(odd === undefined || odd.to.length === 1);
});

test("reports a refusal without naming the recipient, and a mail server that is gone", async () => {
  const { mailer, close } = await mailServer("ann@example.org");
  await assert.rejects(mailer.send(mail), (error: Error) => {
    assert.ok(error instanceof MailError);
    assert.match(error.message, /550/);
    assert.doesNotMatch(error.message, /ann/);
    return true;
  });
  await close();
  await assert.rejects(mailer.send(mail), MailError);
  const cloudMail = new CloudMail(mailer, () => "http://cloud.example", createLogger("silent"), systemClock);
  const answer = await cloudMail.claimed("ann@example.org", "hub", "192.0.2.1", "en");
  assert.ok(answer instanceof Refused && answer.status === 503);
});

test("writes mails into files for their owner only, and takes no path from an address", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, "mail");
  const mailer = folderMailer(path, () => Date.UTC(2026, 10, 21, 12));
  await mailer.send(mail);
  await mailer.send(mail);
  await mailer.send({ ...mail, to: "../../x@example.org" });
  const names = readdirSync(path).toSorted();
  assert.equal(names.length, 3);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  for (const name of names) {
    assert.equal(statSync(join(path, name)).mode & 0o777, 0o600);
    assert.match(name, /^2026-11-21T12-00-00\.000Z-\d-.*@example\.org\.eml$/);
  }
  const text = readFileSync(join(path, names[0] ?? ""), "utf8");
  assert.match(text, /^To: ann@example\.org\nSubject: Your password\nDate: .*\n\nLog in with ÄBC\n$/);
  folder.remove();
  await assert.rejects(mailer.send(mail), /ENOENT/);
});

const name = "Suspended!\r\nBcc: bob@example.org\n\nConfirm at http://evil.example";
const mailed = async (write: (mails: CloudMail) => Promise<unknown>): Promise<typeof mail> => {
  const sent: (typeof mail)[] = [];
  const mailer = { send: (one: typeof mail) => Promise.resolve(void sent.push(one)) };
  await write(new CloudMail(mailer, () => "http://cloud.example", createLogger("silent"), systemClock));
  return sent[0] ?? assert.fail("no mail");
};
const sent = {
  email: "ann@example.org",
  hubId: "hub",
  hubName: name,
  by: "boss@example.org",
  code: "code",
  expires: 0,
};
const site = { prefix: "/ui/0.2", isServed: () => true };

for (const [what, write] of [
  ["an invitation", (mails) => mails.invitation(sent, site, "en")],
  ["an offer", (mails) => mails.offer(sent, site, "en")],
] as const satisfies readonly (readonly [string, (mails: CloudMail) => Promise<unknown>])[])
  test(`shows a hub's name without links or line breaks in ${what}`, async () => {
    const { subject, text } = await mailed(write);
    assert.doesNotMatch(subject, /Suspended/);
    assert.match(text, /^boss@example\.org .* a hub called “Suspended! Bcc: Confirm at”\./);
    assert.doesNotMatch(text, /^Bcc|evil|bob@/m);
    assert.equal(text.match(/http\S+/g)?.length, 1, "the cloud's own link");
  });
