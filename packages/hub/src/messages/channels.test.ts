import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { Outgoing } from "@ledge/link/outgoing";
import { profileGuard } from "../network/profile-guard.ts";
import { channelsOf, processCredentials } from "./channels.ts";
import type { MessageSettings } from "./settings.ts";

const smtp = { host: "localhost", port: 25, security: "none", from: "hub@home.example" } as const;

/** The channels that exist, and the reasons why others do not. */
function made(settings: MessageSettings, credentials: Record<string, string> = {}): Record<string, string> {
  const channels = channelsOf(
    settings,
    (name) => credentials[name],
    () => 0,
    createLogger("silent"),
    new Outgoing(profileGuard({})),
  );
  return Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => [
      name,
      typeof channel === "string" ? channel : channel.name,
    ]),
  );
}

test("sets up a channel when the profile names it and its credential is given", () => {
  const hook = { url: "https://gateway.example/" };
  assert.deepEqual(made({}), {
    email: "the profile sets up no email",
    push: "the profile sets up no push",
    sms: "the profile sets up no sms",
    journal: "journal",
  });
  assert.deepEqual(made({ email: { ...smtp, user: "hub" }, push: hook, sms: hook }), {
    email: "the credential smtp-password is missing",
    push: "the credential push-secret is missing",
    sms: "the credential sms-secret is missing",
    journal: "journal",
  });
  const given = { "smtp-password": "a", "push-secret": "b", "sms-secret": "c" };
  const all = { email: "email", push: "push", sms: "sms", journal: "journal" };
  assert.deepEqual(made({ email: { ...smtp, user: "hub" }, push: hook, sms: hook }, given), all);
  assert.equal(made({ email: smtp })["email"], "email", "a server that asks for nobody");
});

test("reads a credential from an environment variable, else from a file that systemd passes", () => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-credentials-"));
  try {
    writeFileSync(join(folder, "ledge-smtp-password"), "from-file\n");
    writeFileSync(join(folder, "ledge-push-secret"), "\n");
    const files = { CREDENTIALS_DIRECTORY: folder };
    assert.equal(processCredentials(files)("smtp-password"), "from-file");
    const both = { ...files, LEDGE_SMTP_PASSWORD: "from-variable" };
    assert.equal(processCredentials(both)("smtp-password"), "from-variable");
    assert.equal(processCredentials(files)("push-secret"), undefined);
    assert.equal(processCredentials(files)("sms-secret"), undefined);
    assert.equal(processCredentials({})("smtp-password"), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
