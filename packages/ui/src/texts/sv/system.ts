import type { system as english } from "../en/system.ts";
import type { Translated } from "../text.ts";

/** The texts of the hub as a whole, in Swedish. */
export const system: Translated<typeof english> = {
  "system.title": "System",
  "system.onlyNow": "Hubben ställs in som den är nu.",
  "system.place": "Namn och plats",
  "system.backups": "Säkerhetskopior",
  "system.backupHow":
    "En säkerhetskopia är en fil med allt som hubben är. Lösenfrasen förseglar dess nycklar: utan den kan ingen återställa dem, inte heller du.",
  "system.passphrase": "Lösenfras",
  "system.passphraseAgain": "Samma en gång till",
  "system.short": "En lösenfras har minst 8 tecken.",
  "system.differs": "De är inte lika.",
  "system.make": "Gör en säkerhetskopia",
  "system.making": "Säkerhetskopian görs",
  "system.made": "Säkerhetskopian är gjord: spara den på annat håll",
  "system.noBackups": "Hubben har ingen säkerhetskopia än.",
  "system.sealed": "med förseglade nycklar",
  "system.noSecrets": "utan nycklar",
  "system.save": "Spara",
  "system.restore": "Återställ en säkerhetskopia",
  "system.restoreHow":
    "En återställning ersätter hela hubben och görs därför vid maskinen: stoppa hubben och kör detta som root. Det som fanns läggs åt sidan.",
  "system.restart": "Starta om hubben",
  "system.restartHow": "Under några sekunder kan inget styras och ingen regel arbetar. Timrar går vidare.",
  "system.restartNow": "Starta om nu",
  "system.restartNot": "Låt den vara igång",
  "system.restarting": "Hubben startar om. Sidan fortsätter av sig själv när den är tillbaka.",
  "system.back": "Hubben är tillbaka.",
  "system.cloud": "Varifrån som helst",
  "system.cloudNone": "Den här hubben har inget moln. Den nås i sitt eget nät.",
  "system.cloudOpen": "Logga in på {cloud} som {email} för att öppna det här hemmet varifrån som helst.",
  "system.cloudNot":
    "Ägaren gav ingen e-postadress när hubben togs i bruk, så inget konto hos {cloud} öppnar den. Det här kommandot på hubben, med din adress, gör kontot till ägare:",
  "system.cloudThen":
    "Den som ägde hubben dittills är kvar som administratör. I en utcheckning börjar kommandot med npm run -s ledge -- i stället för sudo ledge.",
};
