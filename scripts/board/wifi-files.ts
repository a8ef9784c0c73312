import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const program = join(import.meta.dirname, "..", "..", "systemd", "ledge-wifi");

/** Debian packages that join Wi-Fi networks, beside those of every image. */
export const wifiPackages = ["libnl-route-3-200", "libpcsclite1", "wireless-regdb", "wpasupplicant"] as const;

/** Where the network is kept, for root alone. */
const kept = "/var/lib/ledge-wifi/wifi";

const files: Readonly<Record<string, string>> = {
  "usr/lib/systemd/system/ledge-wifi.service": `[Unit]
Description=Takes the Wi-Fi network from wifi.txt
RequiresMountsFor=/var/lib
After=dev-disk-by\\x2dpartlabel-start.device
Wants=dev-disk-by\\x2dpartlabel-start.device

[Service]
Type=oneshot
RemainAfterExit=yes
StateDirectory=ledge-wifi
StateDirectoryMode=0700
PrivateMounts=yes
PrivateNetwork=yes
PrivateTmp=yes
ExecStart=/usr/bin/ledge-wifi boot ${kept}
StandardError=journal+console
StandardOutput=journal+console
`,
  "usr/lib/systemd/system/ledge-wpa@.service": `[Unit]
Description=Wi-Fi at %I
BindsTo=sys-subsystem-net-devices-%i.device
After=sys-subsystem-net-devices-%i.device ledge-wifi.service
Wants=ledge-wifi.service
Before=network.target
# As ledge-wifi has left it.
ConditionPathExists=${kept}

[Service]
ExecStart=/usr/sbin/wpa_supplicant -i %I -c ${kept}
Restart=on-failure
RestartSec=10
CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_PACKET
MemoryDenyWriteExecute=yes
`,
  "usr/lib/udev/rules.d/66-ledge-wifi.rules": `# Each Wi-Fi interface joins the network that is kept.
ACTION!="remove", SUBSYSTEM=="net", ENV{DEVTYPE}=="wlan", TAG+="systemd", ENV{SYSTEMD_WANTS}+="ledge-wpa@$name.service"
`,
  // A cable is preferred.
  "etc/systemd/network/81-ledge-wifi.network":
    "[Match]\nName=wl*\n[Network]\nDHCP=yes\nMulticastDNS=no\n[DHCPv4]\nClientIdentifier=mac\nRouteMetric=2048\n[DHCPv6]\nDUIDType=link-layer\n[IPv6AcceptRA]\nRouteMetric=2048\n",
};

/**
 * Writes what a root file system needs to join a Wi-Fi network.
 * @param root its folder
 * @param unpacked folder where `wifiPackages` are unpacked, with what they depend on
 */
export function writeWifiFiles(root: string, unpacked: string): void {
  // Debian's own units for it, and those of D-Bus, stay away.
  put(join(unpacked, "usr/sbin/wpa_supplicant"), join(root, "usr/sbin/wpa_supplicant"));
  for (const library of ["libnl-route-3.so.200", "libpcsclite.so.1", "libpcsclite_real.so.1"]) {
    const path = join("usr/lib/aarch64-linux-gnu", library);
    if (existsSync(join(unpacked, path))) put(join(unpacked, path), join(root, path));
  }
  // Debian chooses between two signatures of the channels of each country when the package is installed.
  for (const name of ["regulatory.db", "regulatory.db.p7s"])
    put(join(unpacked, `usr/lib/firmware/${name}-debian`), join(root, "usr/lib/firmware", name));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  put(program, join(root, "usr/bin/ledge-wifi"));
  // The file is taken though there is no radio yet.
  const wanted = join(root, "etc/systemd/system/multi-user.target.wants/ledge-wifi.service");
  mkdirSync(dirname(wanted), { recursive: true });
  symlinkSync("/usr/lib/systemd/system/ledge-wifi.service", wanted);
}

/** Copies a file, or what a link leads to. */
function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, statSync(from).mode);
}
