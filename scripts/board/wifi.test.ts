import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { hasAddress } from "./wifi-trial.ts";

const program = join(import.meta.dirname, "..", "..", "systemd", "ledge-wifi");
const folder = temporaryFolder();
after(() => folder.remove());

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function run(words: readonly string[]): Said {
  const env = { PATH: process.env["PATH"] };
  const { status, stdout, stderr } = spawnSync("sh", [program, ...words], { env, encoding: "utf8" });
  return { code: status, out: stdout, error: stderr };
}

function read(text: string): Said {
  const file = join(folder.path, "read.txt");
  writeFileSync(file, text);
  return run(["read", file]);
}

/** A partition with the file, and where the network is kept. */
function partition(name: string, text: string): { readonly start: string; readonly kept: string } {
  const start = join(folder.path, name);
  mkdirSync(start);
  writeFileSync(join(start, "wifi.txt"), text);
  return { start, kept: join(folder.path, `${name}.kept`) };
}

const whole = "network=Home\npassphrase=correct horse\ncountry=DE\n";

test("a network by its name, passphrase and country is what wpa_supplicant reads", () => {
  assert.deepEqual(read(whole), {
    code: 0,
    error: "",
    out: `country=DE
p2p_disabled=1
sae_pwe=2
network={
ssid=486f6d65
scan_ssid=1
key_mgmt=WPA-PSK WPA-PSK-SHA256 SAE
ieee80211w=1
psk="correct horse"
}
`,
  });
});

test("comments, spaces around values, Windows' line ends and marks, and a last line without an end are fine", () => {
  const plain = read(whole).out;
  const windows = `\u{feff}# at home\r\n\r\n network = Home \r\npassphrase\t=\tcorrect horse\r\ncountry=DE`;
  assert.equal(read(windows).out, plain);
  assert.doesNotMatch(read("network=Home\npassphrase=correct horse\n").out, /country/);
});

test("names and passphrases with quotes, equals signs and letters of any language stay what they are", () => {
  const { out } = read('network=Café "1"=2}\npassphrase=a="b\\c"$(id)`d`\n');
  const hex = Buffer.from('Café "1"=2}').toString("hex");
  assert.match(out, new RegExp(`^ssid=${hex}$`, "m"));
  assert.ok(out.includes('\npsk="a="b\\c"$(id)`d`"\n'), out);
});

test("64 hexadecimal digits are the key itself, for which WPA3 has no use", () => {
  const key = "0123456789abcdefABCDEF".padEnd(64, "0");
  const { out } = read(`network=Home\npassphrase=${key}\n`);
  assert.match(out, new RegExp(`^psk=${key}$`, "m"));
  assert.doesNotMatch(out, /SAE/);
});

test("the lengths that Wi-Fi allows are taken, and no others", () => {
  const of = (name: number, passphrase: number): number | null =>
    read(`network=${"n".repeat(name)}\npassphrase=${"p".repeat(passphrase)}\n`).code;
  assert.deepEqual([of(32, 8), of(33, 8), of(1, 63), of(1, 7), of(1, 64), of(1, 65)], [0, 1, 0, 1, 1, 1]);
  assert.equal(read(`network=${"é".repeat(17)}\npassphrase=correct horse\n`).code, 1, "34 bytes");
});

test("says what is wrong with a file, and never what the passphrase is", () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    "": /names no network: write network=NAME/,
    "network=Home\n": /no passphrase/,
    "network=Home\npassphrase=\n": /no passphrase/,
    "network=Home\npassphrase=secret7\n": /has 7 characters: 8 to 63/,
    "network=Home\npassphrase=secret-é-secret\n": /outside ASCII/,
    [`network=Home\npassphrase=${"secret-x".repeat(8)}\n`]: /64 characters, which are not all hexadecimal/,
    "network=Home\nsecret phrase\n": /line 2 is not name=value/,
    "network=Home\npassword=secret phrase\n": /line 2: there is no setting password/,
    "network=Home\nnetwork=Work\npassphrase=secret phrase\n": /line 2 names a second network/,
    "network=Home\npassphrase=secret phrase\npassphrase=secret other\n": /line 3 is a second passphrase/,
    "network=Home\npassphrase=secret\u{1b}phrase\n": /line 2 has a control character/,
    "network=Home\npassphrase=secret phrase\ncountry=Germany\n": /not two capital letters/,
    [`# ${"x".repeat(1024)}\n${whole}`]: /more than 1024 bytes/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    const { code, out, error } = read(text);
    assert.equal(code, 1, text);
    assert.match(error, /^wifi\.txt: [^\n]+\n$/, text);
    assert.match(error, message, text);
    assert.equal(out, "");
    assert.doesNotMatch(error, /secret/, text);
  }
});

test("a file is taken once: root alone reads what it says, and the file is gone with what it said was wrong before", () => {
  const { start, kept } = partition("taken", whole);
  writeFileSync(join(start, "wifi-error.txt"), "wifi.txt: it has no passphrase\r\n");
  const { code, out } = run(["take", start, kept]);
  assert.deepEqual([code, readdirSync(start)], [0, []]);
  assert.match(out, /the file erased/);
  assert.equal(readFileSync(kept, "utf8"), read(whole).out);
  assert.equal(statSync(kept).mode & 0o777, 0o600);
});

test("a file with a fault stays, with what is wrong beside it, and the network that is kept too", () => {
  const { start, kept } = partition("faulty", "network=Home\npassphrase=short\n");
  writeFileSync(kept, "before");
  const { code, error } = run(["take", start, kept]);
  assert.deepEqual([code, readdirSync(start)], [0, ["wifi-error.txt", "wifi.txt"]]);
  assert.match(error, /has 5 characters/);
  assert.match(
    readFileSync(join(start, "wifi-error.txt"), "utf8"),
    /has 5 characters: 8 to 63 are possible\r\n$/,
  );
  assert.equal(readFileSync(kept, "utf8"), "before");
});

test("a file that cannot be kept stays as it is", () => {
  const { start } = partition("unkept", whole);
  const places = {
    "nowhere to write": join(folder.path, "none", "wifi"),
    "no room": join(folder.path, "full"),
  };
  // The new file is written beside the one that is kept.
  symlinkSync("/dev/full", `${places["no room"]}.new`);
  for (const [problem, place] of Object.entries(places)) {
    const { code, error } = run(["take", start, place]);
    assert.equal(code, 1, problem);
    assert.match(error, /could not be kept, and stays/, problem);
    assert.deepEqual(
      [readFileSync(join(start, "wifi.txt"), "utf8"), existsSync(place)],
      [whole, false],
      problem,
    );
  }
});

test("an address of the base station's network counts, but not its own", () => {
  const shown = (address: string): string =>
    `3: wlan0: <UP> mtu 1500\n    inet ${address}/24 metric 2048 brd 192.168.77.255 scope global dynamic wlan0`;
  assert.equal(hasAddress(shown("192.168.77.187")), true);
  assert.equal(hasAddress(shown("192.168.77.12")), true);
  assert.equal(hasAddress(shown("192.168.77.1")), false);
  assert.equal(hasAddress(shown("10.0.2.15")), false);
});
