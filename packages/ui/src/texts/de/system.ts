import type { system as english } from "../en/system.ts";
import type { Translated } from "../text.ts";

/** The texts of the hub as a whole, in German. */
export const system: Translated<typeof english> = {
  "system.title": "System",
  "system.onlyNow": "Der Hub wird eingerichtet, wie er jetzt ist.",
  "system.place": "Name und Ort",
  "system.backups": "Sicherungen",
  "system.backupHow":
    "Eine Sicherung ist eine Datei mit allem, was der Hub ist. Die Passphrase versiegelt seine Schlüssel: Ohne sie kann niemand sie wiederherstellen, auch Sie nicht.",
  "system.passphrase": "Passphrase",
  "system.passphraseAgain": "Noch einmal dieselbe",
  "system.short": "Eine Passphrase hat mindestens 8 Zeichen.",
  "system.differs": "Die beiden sind nicht gleich.",
  "system.make": "Sicherung machen",
  "system.making": "Die Sicherung entsteht",
  "system.made": "Die Sicherung ist gemacht: Speichern Sie sie anderswo",
  "system.noBackups": "Der Hub hat noch keine Sicherung.",
  "system.sealed": "mit versiegelten Schlüsseln",
  "system.noSecrets": "ohne Schlüssel",
  "system.save": "Speichern",
  "system.restore": "Sicherung wiederherstellen",
  "system.restoreHow":
    "Eine Wiederherstellung ersetzt den ganzen Hub und geschieht daher an der Maschine: Halten Sie den Hub an und führen Sie dies als root aus. Was dort war, bleibt daneben liegen.",
  "system.restart": "Hub neu starten",
  "system.restartHow":
    "Einige Sekunden lang lässt sich nichts schalten, und keine Regel handelt. Zeiten laufen weiter.",
  "system.restartNow": "Jetzt neu starten",
  "system.restartNot": "Weiterlaufen lassen",
  "system.restarting": "Der Hub startet neu. Diese Seite macht von selbst weiter, wenn er zurück ist.",
  "system.back": "Der Hub ist wieder da.",
  "system.cloud": "Von überall",
  "system.cloudNone": "Dieser Hub hat keine Cloud. Er ist in seinem eigenen Netz zu erreichen.",
  "system.cloudOpen": "Melden Sie sich bei {cloud} als {email} an, um dieses Zuhause von überall zu öffnen.",
  "system.cloudNot":
    "Der Eigentümer hat beim Einrichten keine E-Mail-Adresse angegeben, daher öffnet ihn kein Konto bei {cloud}. Dieser Befehl am Hub, mit Ihrer Adresse, macht das Konto zum Eigentümer:",
  "system.cloudThen":
    "Wer den Hub bis dahin besaß, bleibt als Verwalter drin. In einem Checkout beginnt der Befehl mit npm run -s ledge -- statt mit sudo ledge.",
};
