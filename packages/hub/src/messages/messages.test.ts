import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { Kernel } from "@ledge/kernel";
import { openKernel, systemClock } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { declared, roles, upcasters } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { SMTPServer } from "smtp-server";
import { logFolder } from "@ledge/host/folder";
import { folderSealing } from "@ledge/host/sealing";
import { kernelParts } from "../start/kernel-parts.ts";
import { filesWith } from "../testdata/home.ts";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { programFile } from "@ledge/testkit/programs";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const secrets = { LEDGE_SMTP_PASSWORD: "canary-smtp-password", LEDGE_PUSH_SECRET: "canary-push-secret" };
const email = "canary-ann@example.org";

/** Runs commands on a kernel over the folder of a stopped hub. */
async function withKernel<T>(folder: string, act: (kernel: Kernel) => T): Promise<Awaited<T>> {
  const log = await openLmdbLog({
    folder: logFolder(folder),
    upcasters,
    sealing: folderSealing(folder, declared),
  });
  const clock = { clock: systemClock, timeTrusted: () => true };
  const kernel = openKernel({ ...kernelParts, log, ...clock, onFatal: () => {} });
  try {
    return await act(kernel);
  } finally {
    await kernel.close();
  }
}

test("a restarted hub sends the message that a killed one had queued, and stores no address", async () => {
  const root = temporaryFolder();
  const folder = join(root.path, "hub");
  let isHanging = true;
  const asked = Promise.withResolvers<void>();
  const posted: string[] = [];
  const gateway = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => posted.push(chunk.toString()));
    request.on("end", () => {
      asked.resolve();
      if (!isHanging) response.end();
    });
  }).listen(0, "127.0.0.1");
  const { key, certificate } = makeSelfSigned("localhost");
  const mails: string[][] = [];
  const server = new SMTPServer({
    onAuth: ({ password }, _, done) =>
      password === secrets.LEDGE_SMTP_PASSWORD ? done(null, { user: "hub" }) : done(new Error("wrong")),
    key,
    cert: certificate,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onData: (stream, { envelope }, done) => {
      mails.push(envelope.rcptTo.map(({ address }) => address));
      stream.resume().on("end", () => done());
    },
  });
  // A hub that is killed while it sends resets its connection.
  server.on("error", () => {});
  const smtp = server.listen(0, "127.0.0.1");
  await Promise.all([once(gateway, "listening"), once(smtp, "listening")]);
  const messages = {
    email: {
      host: "127.0.0.1",
      port: (smtp.address() as AddressInfo).port,
      security: "none",
      user: "hub",
      from: "hub@home.example",
    },
    push: { url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/` },
  };
  const profile = bareProfile(root.path, {
    features: ["SEND_EMAIL", "PN_MESSAGING", "SERVER_CONNECTION"],
    messages,
    localTargets: true,
  });
  const main = programFile("hub");
  const cloud = await SimulatedCloud.open();
  const args = ["--port", "0", "--log", "debug", "--profile", profile, "--cloud", cloud.url];
  const start = async (): Promise<HubProcess> => {
    const started = await HubProcess.startWith(secrets, main, folder, ...args);
    started.cloud = cloud;
    return started;
  };
  let hub = await start();
  try {
    await hub.key();
    await hub.key(email, roles.USER_ADMIN);
    await hub.stop();
    const text = { id: "MESSAGE", parameters: { text: "Smoke" } };
    const command = { type: "SEND_MESSAGE", channels: ["push", "email"], level: "err", text };
    const [ann = ""] = await withKernel(folder, async (kernel) => {
      const found = [...kernel.all("user")].find(([, { user_info }]) => user_info.user.email === email) ?? [];
      const commands = [{ ...command, to: [found[0]], sourceId: "x" }];
      await kernel.submit({ commands, origin: "system" });
      return found;
    });

    hub = await start();
    await asked.promise;
    await eventually("the mail is there", async () => mails[0]);
    const killed = await hub.kill();
    isHanging = false;
    posted.length = 0;
    gateway.closeAllConnections();
    hub = await start();
    await eventually("the message is posted again", async () => posted[0]);
    const stopped = await eventually("nothing is left to send", async () => {
      const { stderr } = await hub.stop();
      const left = await withKernel(folder, (kernel) => kernel.size("message"));
      if (left === 0) return stderr;
      hub = await start();
      return undefined;
    });

    const { to } = JSON.parse(posted[0] ?? "") as { to: { user: string } };
    assert.equal(to.user, ann);
    assert.ok(mails.length <= 2, "twice at most, where the hub was killed before it could note it");
    for (const mail of mails) assert.deepEqual(mail, [email]);
    const hidden = [...Object.values(secrets), email];
    for (const said of [killed.stderr, stopped])
      for (const one of hidden) assert.ok(!said.includes(one), one);
    assert.deepEqual(filesWith(folder, hidden), []);
  } finally {
    await hub.kill();
    gateway.closeAllConnections();
    gateway.close();
    server.close();
    await cloud.close();
    root.remove();
  }
});

test("each user gets messages in the language that they chose or that their client asked for", async (t) => {
  const root = temporaryFolder();
  t.after(() => root.remove());
  const folder = join(root.path, "hub");
  const posted: { text: string; to: { user: string } }[] = [];
  const gateway = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      posted.push(JSON.parse(body));
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  t.after(() => gateway.close());
  const push = { url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/` };
  const messages = { language: "sv", push };
  const features = ["PN_MESSAGING", "SERVER_CONNECTION"];
  const profile = bareProfile(root.path, { features, messages, localTargets: true });
  const cloud = await SimulatedCloud.open();
  t.after(() => cloud.close());
  const args = ["--port", "0", "--profile", profile, "--cloud", cloud.url];
  const start = async (): Promise<HubProcess> => {
    const started = await HubProcess.startWith(secrets, programFile("hub"), folder, ...args);
    t.after(() => started.kill());
    started.cloud = cloud;
    return started;
  };
  const hub = await start();
  await hub.key();
  const languages = { ann: "fi-FI,en;q=0.5", bob: "fr", cid: "fi" };
  for (const [name, language] of Object.entries(languages)) {
    const key = await hub.key(`${name}@example.org`, roles.USER_ADMIN);
    const headers = { authorization: key, "accept-language": language, "content-type": "application/json" };
    const at = `${hub.address}/cc/1.14/hub`;
    const shown = async (): Promise<string> =>
      (await fetch(`${at}/poll?ts=0&app_uuid=${name}`, { headers })).text();
    await eventually(
      "the client is known",
      async () => (await shown()).includes(`"uuid":"${name}"`) || undefined,
    );
    if (name !== "cid") continue;
    const body = JSON.stringify({ language: "de" });
    assert.equal((await fetch(`${at}/users/profile`, { method: "PUT", headers, body })).status, 200);
  }
  await hub.stop();
  const names = await withKernel(folder, async (kernel) => {
    const text = { id: "COMMAND_FAILED", parameters: { name: "Boiler" } };
    const users = [...kernel.all("user")].map(([id, { user_info }]) => [id, user_info.user.email] as const);
    const to = users.flatMap(([id, address]) => (address.endsWith("@example.org") ? [id] : []));
    const told = { type: "SEND_MESSAGE", channels: ["push"], level: "warn", to, text, sourceId: "boiler" };
    await kernel.submit({ commands: [told], origin: "system" });
    return new Map(users);
  });
  await start();
  await eventually("all are told", async () => posted.length >= 3 || undefined);
  const said = posted.map(({ text, to }) => `${names.get(to.user)?.split("@")[0]}: ${text}`);
  assert.deepEqual(said.toSorted(), [
    "ann: Boiler ei totellut käskyä",
    "bob: Boiler gjorde inte det som begärdes",
    "cid: Boiler hat einen Befehl nicht ausgeführt",
  ]);
});
