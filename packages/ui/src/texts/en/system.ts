import type { Text } from "../text.ts";

/** The texts of the hub as a whole, in English. */
export const system = {
  "system.title": "System",
  "system.onlyNow": "The hub is set up as it is now.",
  "system.place": "Name and place",
  "system.backups": "Backups",
  "system.backupHow":
    "A backup is one file with everything that the hub is. The passphrase seals its keys: without it nobody can restore them, you included.",
  "system.passphrase": "Passphrase",
  "system.passphraseAgain": "The same once more",
  "system.short": "A passphrase has at least 8 characters.",
  "system.differs": "The two are not the same.",
  "system.make": "Make a backup",
  "system.making": "The backup is being made",
  "system.made": "The backup is made: save it elsewhere",
  "system.noBackups": "The hub keeps no backup yet.",
  "system.sealed": "with sealed keys",
  "system.noSecrets": "without keys",
  "system.save": "Save",
  "system.restore": "Restore a backup",
  "system.restoreHow":
    "A restore takes the place of the whole hub, so it is done at the machine: stop the hub and run this as root. What was there is set aside.",
  "system.restart": "Restart the hub",
  "system.restartHow": "For some seconds nothing can be switched and no rule acts. Timers go on.",
  "system.restartNow": "Restart now",
  "system.restartNot": "Leave it running",
  "system.restarting": "The hub restarts. This page goes on by itself when it is back.",
  "system.back": "The hub is back.",
  "system.cloud": "From anywhere",
  "system.cloudNone": "This hub has no cloud. It is reached on its own network.",
  "system.cloudOpen": "Log in at {cloud} as {email} to open this home from anywhere.",
  "system.cloudNot":
    "The owner gave no e-mail address when this hub was set up, so no account at {cloud} opens it. This command at the hub, with your address, makes that account the owner:",
  "system.cloudThen":
    "Whoever owned the hub until then stays in as an administrator. In a checkout the command begins with npm run -s ledge -- instead of sudo ledge.",
} as const satisfies Readonly<Record<string, Text>>;
