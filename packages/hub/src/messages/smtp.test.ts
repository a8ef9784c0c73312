import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";
import { afterEach, test } from "node:test";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";
import { makeSelfSigned } from "@ledge/host/self-signed";
import type { ChannelError, OutgoingMessage } from "./channel.ts";
import { smtpChannel } from "./smtp.ts";

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

const { key, certificate } = makeSelfSigned("localhost");
const message: OutgoingMessage = {
  id: "m1",
  level: "err",
  text: "Smoke in the\nhall: Öl {x}",
  textId: "MESSAGE",
  sourceId: "rule-1",
  queuedAt: Date.UTC(2026, 10, 21, 12),
  hub: 'Home "Ö"',
  to: { user: "ann", email: "ann@example.org", phone: null, clients: [] },
};

interface Mail {
  readonly to: string[];
  readonly user: unknown;
  readonly isSecure: boolean;
  readonly text: string;
}

/** A mail server with a user `hub`, and the mails that it has taken. */
async function mailServer(options: SMTPServerOptions = {}): Promise<{ port: number; mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    key,
    cert: certificate,
    authOptional: true,
    onAuth: ({ username, password }, _, done) => {
      if (username === "hub" && password === "s3cret") done(null, { user: username });
      else done(new Error("no: s3cret"));
    },
    onData: (stream, { envelope, user, secure }, done) => {
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.on("end", () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), user, isSecure: secure, text });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  ends.push(() => server.close());
  return { port: (listening.address() as AddressInfo).port, mails };
}

/** A server that does not speak SMTP. */
async function otherServer(server: Server): Promise<{ port: number }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  return { port: (server.address() as AddressInfo).port };
}

async function send(port: number, fields: object = {}, to?: string): Promise<string | null> {
  const at = { host: "localhost", port, from: "hub@home.example" };
  const channel = smtpChannel({ ...at, security: "none", ...fields });
  const recipient = to === undefined ? message.to : { user: "x", email: to, phone: null, clients: [] };
  try {
    await channel.send({ ...message, to: recipient });
    return null;
  } catch (error) {
    return `${(error as ChannelError).fault}: ${(error as ChannelError).message}`;
  }
}

test("sends the text of the message to one recipient", async () => {
  const { port, mails } = await mailServer();
  assert.equal(await send(port), null);
  const [{ to, text } = assert.fail()] = mails;
  assert.deepEqual(to, ["ann@example.org"]);
  assert.match(text, /^Message-ID: <m1@home\.example>\r?$/m);
  assert.match(text, /^Date: Sat, 21 Nov 2026 12:00:00 \+0000\r?$/m);
  assert.match(text, /^X-Priority: 1/m);
  assert.match(text, /^Auto-Submitted: auto-generated/m);
  const subject = /^Subject: =\?UTF-8\?Q\?(.*(?:\r\n .*)*)/m.exec(text)?.[1] ?? "";
  assert.match(subject, /Smoke_in_the_hall/, "one line, whatever stands in the text");
  assert.match(text, /Smoke in the\r?\nhall: =C3=96l {x}/);
});

test("treats any address as one address, whatever it contains", async () => {
  const { port, mails } = await mailServer();
  await send(port, {}, "ann@example.org, bob@example.org");
  await send(port, {}, "ann@example.org>\r\nRCPT TO:<bob@example.org");
  for (const { to } of mails) assert.ok(to.length === 1 && !to.includes("bob@example.org"), to.join());
});

test("sends user and password over TLS only, from the first byte or after STARTTLS", async () => {
  const user = { user: "hub", password: "s3cret", ca: certificate };
  for (const security of ["tls", "starttls"] as const) {
    const { port, mails } = await mailServer({ secure: security === "tls", authOptional: false });
    assert.equal(await send(port, { security, ...user }), null);
    assert.deepEqual(
      mails.map((mail) => [mail.user, mail.isSecure]),
      [["hub", true]],
    );
  }
});

test("sends nothing to a server without a trusted certificate or without TLS", async () => {
  const tls = await mailServer({ secure: true });
  assert.match(
    (await send(tls.port, { security: "tls" })) ?? "",
    /^down: the server could not be reached: E/,
  );
  const plain = await mailServer({ disabledCommands: ["STARTTLS"] });
  assert.match((await send(plain.port, { security: "starttls", ca: certificate })) ?? "", /^down: .*: ETLS$/);
  assert.deepEqual([...tls.mails, ...plain.mails], []);
});

test("does not repeat a wrong password in its error", async () => {
  const { port } = await mailServer({ secure: true });
  const wrong = await send(port, { security: "tls", ca: certificate, user: "hub", password: "wr0ng" });
  assert.equal(wrong, "down: the server refused the user or the password");
});

for (const [code, fault] of [
  [550, "refused"],
  [452, "later"],
  [421, "down"],
] as const) {
  test(`reports a recipient with the answer ${code} as ${fault}, without the address`, async () => {
    const { port } = await mailServer({
      onRcptTo: ({ address }, _, done) =>
        done(Object.assign(new Error(`no ${address}`), { responseCode: code })),
    });
    const told = (await send(port)) ?? "";
    assert.ok(told.startsWith(`${fault}: `), told);
    if (fault !== "down") assert.equal(told, `${fault}: the server answered ${code}`);
    assert.doesNotMatch(told, /ann/);
  });
}

test("reports a mail that the server rejects as refused", async () => {
  const { port } = await mailServer({
    onData: (stream, _, done) => {
      stream.resume().on("end", () => done(Object.assign(new Error("spam"), { responseCode: 554 })));
    },
  });
  assert.equal(await send(port), "refused: the server answered 554");
});

test("reports a server that is silent, hangs up, speaks another protocol or is missing as down", async () => {
  const silent = await otherServer(createServer((socket) => void ends.push(() => socket.destroy())));
  assert.equal(await send(silent.port, { timeoutMs: 100 }), "down: the server did not answer in time");
  const gone = await otherServer(createServer((socket) => void socket.destroy()));
  assert.match((await send(gone.port)) ?? "", /^down: /);
  const web = await otherServer(
    createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  );
  assert.match((await send(web.port)) ?? "", /^down: /);
  ends.splice(0).forEach((end) => end());
  assert.match((await send(web.port)) ?? "", /^down: the server could not be reached: E/);
});
