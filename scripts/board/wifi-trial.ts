import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { secondsSince } from "../seconds-since.ts";
import { answered } from "./client.ts";
import type { ImageFiles } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";
import { Shell } from "./shell.ts";

const network = { name: "Café", passphrase: "correct horse" } as const;

/** A base station at the second of the simulated radios, which gives out addresses. */
const station = [
  "modprobe mac80211_hwsim radios=2",
  "until [ -e /sys/class/net/wlan1 ]; do sleep 1; done",
  "systemctl stop ledge-wpa@wlan1",
  "mkdir -p /run/systemd/network",
  "printf '[Match]\\nName=wlan1\\n[Network]\\nAddress=192.168.77.1/24\\nDHCPServer=yes\\n' > /run/systemd/network/10-station.network",
  "networkctl reload",
  `printf 'network={\\nssid="${network.name}"\\nmode=2\\nfrequency=2412\\nkey_mgmt=WPA-PSK\\nproto=RSN\\npairwise=CCMP\\npsk="${network.passphrase}"\\n}\\n' > /run/station.conf`,
  "wpa_supplicant -B -i wlan1 -c /run/station.conf",
].join("; ");

/**
 * Puts `wifi.txt` on the first partition of a new image and boots it twice: the first boot takes and erases the file, and
 * after each a simulated radio joins the network that it names.
 * @param files the image; its disk is written to
 * @param folder for the console's output
 */
export async function tryWifi(files: ImageFiles, folder: string): Promise<object> {
  const start = `${files.disk}@@1M`;
  const input = `network=${network.name}\r\npassphrase=${network.passphrase}\r\ncountry=DE\r\n`;
  execFileSync("mcopy", ["-i", start, "-", "::wifi.txt"], { input });
  const from = performance.now();
  for (const boot of ["first", "second"]) {
    const machine = await VirtualMachine.start(files, join(folder, `wifi-${boot}.console`), { shell: true });
    try {
      await answered(machine);
      const shell = await Shell.at(machine.shellPort);
      if (boot === "first")
        await machine.until("wifi.txt is taken", async () =>
          machine.said.includes("wifi.txt: the network is kept, and the file erased") ? true : undefined,
        );
      const kept = await shell.run("stat -c '%a %u' /var/lib/ledge-wifi /var/lib/ledge-wifi/wifi");
      assert.match(kept, /^700 0\s+600 0\s*$/, "root alone reads it");
      await shell.run(station);
      await machine.until("an address by Wi-Fi", async () =>
        /inet 192\.168\.77\.(?!1\/)\d+\//.test(await shell.run("ip -4 address show dev wlan0"))
          ? true
          : undefined,
      );
      shell.close();
    } finally {
      await machine.cutPower();
    }
  }
  const left = execFileSync("mdir", ["-b", "-i", start, "::"], { encoding: "utf8" });
  assert.doesNotMatch(left, /wifi/i);
  return { seconds: secondsSince(from) };
}
