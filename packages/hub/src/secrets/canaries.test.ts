import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rows } from "@ledge/api";
import { features, roles } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { readBackup } from "@ledge/host/backup/reader";
import { programFile } from "@ledge/testkit/programs";
import { filesWith, hideCanaries, canaries as stored } from "../testdata/home.ts";
import { eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

/** Values that users enter and that only they, or nobody, may see again. */
const secrets = {
  password: "canary-camera-password",
  username: "canary-camera-user",
  pin: "canary-pin-4711",
  psk: "canary-wifi-psk",
  apiKey: "canary-api-key",
  token: "canary-api-token",
  scrape: "canary-scrape-token",
  claimCode: "canary-claim-code",
  passphrase: "canary-passphrase",
  setting: "canary-setting-code",
} as const;
const person = {
  email: "canary-mail@example.org",
  nickname: "Canary Nickname",
  phone: "+358 55 0123456",
} as const;
/** Rows that show users to each other, or to admins. */
const aboutUsers: ReadonlySet<string> = new Set(["/hub/users", "/hub/poll", "/audit", "/timeline"]);
/** Rows that end the hub. */
const ending: ReadonlySet<string> = new Set(["/hub/restart", "/hub/reboot", "/hub/shutdown", "/events"]);

const root = temporaryFolder();
const folder = join(root.path, "hub");
const data = ["--data", folder];
const profile = ["--profile", loggingProfile()];
let hub: HubProcess;
let cloud: SimulatedCloud;
let activationCode: string;
const roleOf = { admin: roles.USER_ADMIN, user: roles.IDENTIFIED_USER, guest: roles.GUEST };
const at = ({ url }: SimulatedCloud): string[] => ["--cloud", url];
/** Keys by role; the owner's address is not that of the person. */
const keys: Record<string, string> = {};

before(async () => {
  cloud = await SimulatedCloud.open();
  hub = await HubProcess.startAt(cloud, folder, ...profile);
  keys["owner"] = await hub.key();
  await hub.stop();
  await hideCanaries(folder);
  const main = programFile("hub");
  const env = { LEDGE_SCRAPE_TOKEN: secrets.scrape };
  hub = await HubProcess.startWith(
    env,
    main,
    folder,
    "--port",
    "0",
    "--log",
    "debug",
    ...at(cloud),
    ...profile,
  );
  hub.cloud = cloud;
  for (const role of ["admin", "user", "guest"] as const)
    keys[role] = await hub.key(`${role}@example.org`, roleOf[role]);
  keys["person"] = await hub.key(person.email, roles.IDENTIFIED_USER);
  activationCode = cloud.activationCode(await hub.hubId(), [features.EVENTS]);
  await putIn();
});

after(async () => {
  await hub.kill();
  await cloud.close();
  root.remove();
});

/** The simulated home, with its log open to the local network. */
function loggingProfile(): string {
  const sim = JSON.parse(
    readFileSync(new URL("../../../../firmware-profiles/sim.json", import.meta.url), "utf8"),
  ) as { features: string[] };
  const file = join(root.path, "logging.json");
  writeFileSync(
    file,
    JSON.stringify({ ...sim, features: [...sim.features, "LOG_SERVICE", "PN_MESSAGING", "MQTT"] }),
  );
  return file;
}

/** Writes the canaries through every row that takes text, known or not. */
async function putIn(): Promise<void> {
  const { owner = "", person: key = "" } = keys;
  const { email: _, ...saved } = person;
  assert.equal((await hub.call("PUT", "/hub/users/profile", key, saved)).status, 200);
  const code = encodeURIComponent(activationCode);
  await hub.call("POST", `/hub/activatefeature?code=${code}`, owner);
  await hub.call("POST", `/hub/activatefeature?code=${secrets.claimCode}`, owner);
  await hub.call("POST", `/hub/claim?email=${person.email}&code=${secrets.claimCode}`, owner);
  const camera = { type: "CAMERA_AT_IP", ip: "192.168.1.20", ...secrets };
  await hub.call("POST", "/hub/pairIp", owner, camera);
  for (const type of ["SET_WIFI", "USE_CREDENTIALS", "CHANGE_CREDENTIALS", "PAIR_MODBUS", "ZWAVE_S2_PIN"]) {
    await hub.call("POST", "/hub/protocolconfig", owner, [{ type, ...secrets }]);
    await hub.call("PUT", "/devices/command", owner, [{ type, id: "none", ...secrets }]);
  }
  const target = { kind: "gotify", url: "http://192.0.2.10", token: secrets.token };
  assert.equal((await hub.call("PUT", "/hub/messagetargets", owner, [target])).status, 200);
  await tellCamera(owner);
  await setCode(owner);
  for (const { method, path } of rows) {
    if (method === "GET" || method === "DELETE" || path === "/hub/name") continue;
    for (const body of [secrets, [secrets], [{ ...secrets, id: "none" }]])
      await hub.call(method, path, owner, body);
  }
  for (const wrong of [secrets.token, `eyJ.${secrets.token}.x`]) await hub.call("GET", "/rooms", wrong);
  await hub.call("GET", `/rooms?password=${secrets.password}&token=${secrets.token}`, owner);
  const broker = { url: "mqtt://192.0.2.11", username: "hub", password: secrets.password };
  assert.equal((await hub.call("PUT", "/hub/mqtt", owner, broker)).status, 200);
}

/** Sets a camera's password and network; the name of its user is not secret. */
async function tellCamera(owner: string): Promise<void> {
  const id = await eventually("the camera is there", async () => {
    const { json } = await hub.call("GET", "/devices", owner);
    return Object.entries(json as Record<string, { type: string }>).find(
      ([, { type }]) => type === "CAMERA",
    )?.[0];
  });
  const { password, psk } = secrets;
  const opened = { username: "viewer", password };
  const tell = async (command: object): Promise<number> =>
    (await hub.call("PUT", "/devices/command", owner, [{ id, ...command }])).status;
  // The camera is there from the run before, but its adapter may still be starting.
  await eventually("the camera's adapter", async () =>
    (await tell({ type: "CMD_USE_CREDENTIALS", ...opened })) === 200 ? true : undefined,
  );
  const statuses: number[] = [];
  for (const command of [
    { type: "CMD_CHANGE_CREDENTIALS", ...opened },
    { type: "CMD_USE_CREDENTIALS", ...opened },
    { type: "CMD_USE_CREDENTIALS", ...opened, password: secrets.pin },
    { type: "CMD_SET_WIFI", ssid: "Home", password: psk },
    { type: "CMD_CAMERA_HOST_AT_IP", ip: "192.0.2.20", ...opened },
  ])
    statuses.push(await tell(command));
  assert.deepEqual(statuses.slice(0, 2), [200, 200]);
}

/** Sets a secret setting, and waits until the device has taken it. */
async function setCode(owner: string): Promise<void> {
  const { json } = await hub.call("GET", "/devices", owner);
  const thermostats = Object.entries(json as Record<string, { type: string }>).filter(
    ([, { type }]) => type === "THERMOSTAT",
  );
  const configurationOf = async (id: string): Promise<{ parameters?: Record<string, unknown> }> =>
    (await hub.call("GET", `/devices/configuration?deviceId=${id}&templates=true`, owner)).json as object;
  const id = await eventually("the thermostat's settings", async () => {
    for (const [each] of thermostats)
      if (JSON.stringify(await configurationOf(each)).includes('"secret":true')) return each;
    return undefined;
  });
  const parameters = { code: secrets.setting };
  const body = { type: "CONFIGURATION", id, parameters };
  assert.equal((await hub.call("PUT", "/devices/configuration", owner, body)).status, 200);
  await eventually("the device has its code", async () =>
    (await configurationOf(id)).parameters?.["code"] === "set" ? true : undefined,
  );
}

/** The forbidden values that a text contains. */
function found(text: string, more: readonly string[] = []): string[] {
  return [...Object.values(secrets), ...stored, activationCode, ...more].filter((one) => text.includes(one));
}

const personal = Object.values(person);

test("no row shows a secret, and only rows about users show personal data", async () => {
  for (const [role, key] of Object.entries(keys)) {
    let answered = 0;
    for (const { method, path, unversioned } of rows) {
      if (method !== "GET" || ending.has(path)) continue;
      const prefix = unversioned === true ? "" : "/cc/1.14";
      const response = await fetch(`${hub.address}${prefix}${path}?ts=0`, {
        headers: { authorization: key },
      });
      const shown = await response.text();
      if (response.ok) answered += 1;
      if (path === "/log") assert.match(shown, /\n/, "it is read");
      if (path === "/hub/users")
        assert.ok(shown.includes(role === "guest" ? person.nickname : person.email), "the canaries are in");
      // Guests see nicknames; the timeline names users to admins and to themselves.
      const isUnnamed = path === "/timeline" && role === "user";
      const shownTo = isUnnamed ? [] : role === "guest" ? [person.nickname] : personal;
      const about = aboutUsers.has(path) ? personal.filter((one) => !shownTo.includes(one)) : personal;
      assert.deepEqual(found(shown, about), [], `GET ${path} as ${role}`);
    }
    assert.ok(answered > 10, `${role} is answered`);
  }
  for (const path of aboutUsers) {
    const response = await fetch(`${hub.address}/cc/1.14${path}?ts=0`);
    assert.deepEqual([response.status, found(await response.text(), personal)], [401, []], path);
  }
});

test("events, metrics and the output of ledge contain no secret", async () => {
  const { admin = "" } = keys;
  const { stdout: tail } = await ledge("events", "tail", "--once", "--json", ...data);
  assert.match(tail, /UserProfileSaved/);
  const stream = await fetch(`${hub.address}/cc/1.14/events?after=1-0`, {
    headers: { authorization: admin },
  });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  let streamed = "";
  while (!streamed.includes("UserProfileSaved")) streamed += (await reader.read()).value ?? assert.fail();
  await reader.cancel();
  const scraped = await fetch(`${hub.address}/metrics`, {
    headers: { authorization: `Bearer ${secrets.scrape}` },
  });
  const texts = { tail, streamed, metrics: await scraped.text() };
  for (const command of [["status"], ["doctor"], ["doctor", "--json"], ["devices"], ["--help"]]) {
    const { stdout, stderr } = await ledge(...command, ...data);
    Object.assign(texts, { [command.join(" ")]: stdout + stderr });
  }
  for (const [what, text] of Object.entries(texts)) assert.deepEqual(found(text, personal), [], what);
});

test("a backup without secrets contains none, and one with secrets holds them sealed", async () => {
  const passphrase = join(root.path, "passphrase");
  writeFileSync(passphrase, secrets.passphrase);
  for (const [name, ...how] of [
    ["bare", "--without-secrets"],
    ["sealed", "--passphrase-file", passphrase],
  ] as const) {
    const file = join(root.path, name);
    const { code, stdout, stderr } = await ledge("backup", file, ...how, ...data);
    assert.equal(code, 0, stderr);
    const parts = [...readBackup(file, undefined)];
    const settings = parts.flatMap((part) => ("settings" in part ? part.settings : []));
    const opened = settings.map(({ base64 }) => Buffer.from(base64, "base64").toString("latin1"));
    const text = JSON.stringify(parts) + opened.join() + readFileSync(file, "latin1") + stdout + stderr;
    assert.deepEqual(found(text, personal), [], name);
  }
});

test("log lines and files contain no secret, except the file in which an adapter keeps one", async () => {
  const { stderr, stdout } = await hub.stop();
  assert.match(stderr, /"msg":/);
  assert.deepEqual(found(stderr + stdout, personal), []);
  const [value, file] = stored;
  const put = [...Object.values(secrets), ...personal, value, activationCode];
  assert.deepEqual(filesWith(folder, put), []);
  assert.deepEqual(filesWith(folder, [file]), [join(folder, "adapters", "radio", "store.db")]);
});
