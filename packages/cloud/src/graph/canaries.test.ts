import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { features } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { CloudProcess } from "../testdata/cloud-process.ts";
import { TestHub } from "../testdata/open-cloud.ts";

const secrets = {
  password: "canary-camera-password",
  configuration: "canary-configuration",
  email: "canary-invitee@example.org",
  path: "canary-path",
} as const;

test("contents of messages are neither in the process log nor readable on disk; their correlation ids are", async (t) => {
  const folder = temporaryFolder();
  const cloud = await CloudProcess.start(folder.path, "--log", "debug");
  t.after(async () => {
    await cloud.kill();
    folder.remove();
  });
  const hub = await TestHub.make();
  const hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  assert.equal((await cloud.call("POST", "/hub/claim", hubToken, { email: "ada@example.org" })).status, 200);
  const token = await cloud.logIn("ada@example.org");
  const hubId = hub.id;
  const send = (message: { type: string } & object): Promise<Response> => {
    const [method, kind] = message.type.endsWith("Command") ? ["PUT", "command"] : ["POST", "query"];
    return cloud.call(method, `/graph/${kind}`, token, {
      [kind]: message,
      correlationId: `trace-${message.type}`,
    });
  };
  const camera = { type: "CMD_USE_CREDENTIALS", id: "camera", username: "u", password: secrets.password };
  const { configuration, email } = secrets;
  const ofRegister = { deviceRegisterId: hubId, deviceId: "camera" };
  for (const message of [
    { type: "ControlDevicesHubCommand", hubId, commands: [camera] },
    { type: "SendDeviceRegisterCommand", ...ofRegister, command: camera },
    { type: "SetDeviceConfigurationDeviceRegisterCommand", ...ofRegister, configuration: { configuration } },
    { type: "InviteUserHubCommand", hubId, email, role: "USER" },
    { type: "CallHubCommand", hubId, method: "PUT", path: `/${secrets.path}`, body: secrets },
    { type: secrets.path, ...secrets },
  ])
    assert.equal((await send(message)).status, 200, message.type);
  assert.equal((await cloud.call("PUT", "/graph/command", token, { command: secrets })).status, 422);
  assert.equal((await cloud.call("PUT", "/graph/command", secrets.password, {})).status, 401);
  const { stderr, code } = await cloud.stop();
  assert.equal(code, 0);
  assert.ok(stderr.includes("trace-ControlDevicesHubCommand"), "the log names the correlation id");
  const canaries = [...Object.values(secrets), token];
  const logged = stderr.replaceAll(`trace-${secrets.path}`, "");
  for (const canary of canaries)
    assert.ok(!logged.includes(canary), `the process log has ${canary.slice(0, 20)}`);
  const files = readdirSync(folder.path, { recursive: true }).map((name) => join(folder.path, String(name)));
  // The mail of an invitation has its address: here mails are files.
  const kept = files.filter((file) => statSync(file).isFile() && !file.includes("/mail/"));
  for (const file of kept) {
    const text = readFileSync(file, "latin1");
    for (const canary of canaries) assert.ok(!text.includes(canary), `${file} has ${canary.slice(0, 20)}`);
  }
});
