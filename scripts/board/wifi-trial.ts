import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import type { VirtualMachine } from "./qemu.ts";
import type { Shell } from "./shell.ts";

const network = { name: "Café", passphrase: "correct horse" } as const;

/** A base station at the second of the simulated radios, which gives out addresses. */
const station = [
  // It is ours: what joins networks leaves it alone.
  "systemctl mask --runtime --quiet ledge-wpa@wlan1",
  "mkdir -p /run/systemd/network",
  "printf '[Match]\\nName=wlan1\\n[Network]\\nAddress=192.168.77.1/24\\nDHCPServer=yes\\n' > /run/systemd/network/10-station.network",
  "networkctl reload",
  "modprobe mac80211_hwsim radios=2",
  "until [ -e /sys/class/net/wlan1 ]; do sleep 1; done",
  `printf 'network={\\nssid="${network.name}"\\nmode=2\\nfrequency=2412\\nkey_mgmt=WPA-PSK\\nproto=RSN\\npairwise=CCMP\\npsk="${network.passphrase}"\\n}\\n' > /run/station.conf`,
  "wpa_supplicant -B -i wlan1 -c /run/station.conf",
].join("; ");

/** The partition that a machine starts from, for programs of mtools. */
const startOf = (disk: string): string => `${disk}@@1M`;

/** Puts `wifi.txt` on the first partition of a disk. */
export function putWifi(disk: string): void {
  const input = `network=${network.name}\r\npassphrase=${network.passphrase}\r\ncountry=DE\r\n`;
  execFileSync("mcopy", ["-i", startOf(disk), "-", "::wifi.txt"], { input });
}

/** The boot has taken the network, and root alone reads it. */
export async function hasTakenWifi(machine: VirtualMachine, shell: Shell): Promise<void> {
  await machine.until("wifi.txt is taken", async () =>
    machine.said.includes("wifi.txt: the network is kept, and the file erased") ? true : undefined,
  );
  const kept = await shell.run("stat -c '%a %u' /var/lib/ledge-wifi /var/lib/ledge-wifi/wifi");
  assert.match(kept, /^700 0\s+600 0\s*$/);
}

/** A simulated radio joins the network, and gets an address. */
export async function joinsWifi(machine: VirtualMachine, shell: Shell): Promise<void> {
  await shell.run(station);
  // ip paints addresses on a terminal.
  await machine.until("an address by Wi-Fi", async () =>
    hasAddress(await shell.run("ip -color=never -4 address show dev wlan0")) ? true : undefined,
  );
}

/** Whether ip(8) shows an address that the base station gives out; its own is the first. */
export function hasAddress(shown: string): boolean {
  return /inet 192\.168\.77\.(?!1\/)\d+\//.test(shown);
}

/** Nothing about a network is left on the first partition. */
export function wifiIsErased(disk: string): void {
  const left = execFileSync("mdir", ["-b", "-i", startOf(disk), "::"], { encoding: "utf8" });
  assert.doesNotMatch(left, /wifi/i);
}
