import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const program = join(import.meta.dirname, "..", "..", "systemd", "ledge-slots");

/** RAUC's name for machines that a bundle fits. */
export function compatibleOf(profile: string): string {
  return `ledge-${profile}`;
}

/** RAUC's configuration: bundles whose signature covers a tree of hashes, and slots that `ledge-slots` keeps. */
const systemConfig = (profile: string): string => `[system]
compatible=${compatibleOf(profile)}
bootloader=custom
statusfile=/var/lib/rauc/status.raucs
mountprefix=/run/rauc
bundle-formats=-plain

[handlers]
bootloader-custom-backend=/usr/bin/ledge-slots

[keyring]
path=/etc/rauc/keyring.pem
use-bundle-signing-time=true

[slot.rootfs.0]
device=/dev/disk/by-partlabel/rootfs-a
type=raw
bootname=A

[slot.rootfs.1]
device=/dev/disk/by-partlabel/rootfs-b
type=raw
bootname=B

[slot.boot.0]
device=/dev/disk/by-partlabel/boot-a
type=raw
parent=rootfs.0

[slot.boot.1]
device=/dev/disk/by-partlabel/boot-b
type=raw
parent=rootfs.1
`;

/** Debian's package of RAUC's service is another one than that of the program; these are its three files. */
const service: Readonly<Record<string, string>> = {
  "usr/lib/systemd/system/rauc.service": `[Unit]
Description=RAUC, which installs updates
After=dbus.service

[Service]
Type=dbus
BusName=de.pengutronix.rauc
StateDirectory=rauc
RuntimeDirectory=rauc
TimeoutStartSec=10min
ExecStart=/usr/bin/rauc service
`,
  "usr/share/dbus-1/system-services/de.pengutronix.rauc.service": `[D-BUS Service]
Name=de.pengutronix.rauc
Exec=/bin/false
User=root
SystemdService=rauc.service
`,
  "usr/share/dbus-1/system.d/de.pengutronix.rauc.conf": `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <policy user="root">
    <allow own="de.pengutronix.rauc"/>
    <allow send_destination="de.pengutronix.rauc"/>
  </policy>
  <policy user="ledge">
    <allow send_destination="de.pengutronix.rauc"/>
  </policy>
</busconfig>
`,
  "usr/lib/systemd/system/ledge.service.d/30-updates.conf": `# The hub asks which slot it runs in before it opens its log.
[Unit]
Wants=rauc.service
After=rauc.service
`,
  // A hub that does not come up marks nothing good. The reboot then leads back to the other slot.
  "usr/lib/systemd/system/ledge-trial.timer": `[Unit]
Description=Limit for the trial of an update

[Timer]
OnBootSec=15min

[Install]
WantedBy=timers.target
`,
  "usr/lib/systemd/system/ledge-trial.service": `[Unit]
Description=Leaves a release that has not served

[Service]
Type=oneshot
ExecCondition=/bin/sh -c '[ "$(ledge-slots get-state "$(ledge-slots get-current)")" = bad ]'
ExecStart=/usr/bin/systemctl reboot
`,
};

/**
 * Writes what a root file system needs for updates.
 * @param root its folder
 * @param profile name of the board's profile
 * @param keyring PEM of the certificates whose bundles are installed; undefined for a machine that installs none
 */
export function writeUpdateFiles(root: string, profile: string, keyring: string | undefined): void {
  const files: Record<string, string> = { ...service, "etc/rauc/system.conf": systemConfig(profile) };
  files["etc/rauc/keyring.pem"] = keyring === undefined ? "" : readFileSync(keyring, "utf8");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  cpSync(program, join(root, "usr/bin/ledge-slots"));
}

/** Units that are started at boot, by their links. */
export const updateUnits: Readonly<Record<string, string>> = {
  "timers.target.wants/ledge-trial.timer": "ledge-trial.timer",
};
