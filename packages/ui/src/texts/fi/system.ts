import type { system as english } from "../en/system.ts";
import type { Translated } from "../text.ts";

/** The texts of the hub as a whole, in Finnish. */
export const system: Translated<typeof english> = {
  "system.title": "Järjestelmä",
  "system.onlyNow": "Keskittimen asetukset koskevat nykyhetkeä.",
  "system.place": "Nimi ja paikka",
  "system.backups": "Varmuuskopiot",
  "system.backupHow":
    "Varmuuskopio on yksi tiedosto, jossa on koko keskitin. Tunnuslause sinetöi sen avaimet: ilman sitä niitä ei voi palauttaa kukaan, et sinäkään.",
  "system.passphrase": "Tunnuslause",
  "system.passphraseAgain": "Sama uudelleen",
  "system.short": "Tunnuslauseessa on vähintään 8 merkkiä.",
  "system.differs": "Ne eivät ole samat.",
  "system.make": "Tee varmuuskopio",
  "system.making": "Varmuuskopiota tehdään",
  "system.made": "Varmuuskopio on tehty: tallenna se muualle",
  "system.noBackups": "Keskittimellä ei ole vielä varmuuskopiota.",
  "system.sealed": "sinetöidyin avaimin",
  "system.noSecrets": "ilman avaimia",
  "system.save": "Tallenna",
  "system.restore": "Palauta varmuuskopio",
  "system.restoreHow":
    "Palautus korvaa koko keskittimen, joten se tehdään laitteella: pysäytä keskitin ja aja tämä pääkäyttäjänä. Entinen siirretään sivuun.",
  "system.restart": "Käynnistä keskitin uudelleen",
  "system.restartHow":
    "Muutaman sekunnin ajan mitään ei voi ohjata eikä mikään sääntö toimi. Ajastimet jatkavat.",
  "system.restartNow": "Käynnistä nyt",
  "system.restartNot": "Älä käynnistä",
  "system.restarting": "Keskitin käynnistyy uudelleen. Tämä sivu jatkaa itsestään, kun se on taas käynnissä.",
  "system.back": "Keskitin on taas käynnissä.",
  "system.cloud": "Mistä tahansa",
  "system.cloudNone": "Tällä keskittimellä ei ole pilveä. Se tavoitetaan omasta verkostaan.",
  "system.cloudOpen":
    "Kirjaudu osoitteessa {cloud} tunnuksella {email} avataksesi tämän kodin mistä tahansa.",
  "system.cloudNot":
    "Omistaja ei antanut sähköpostiosoitetta, kun keskitin otettiin käyttöön, joten mikään tili osoitteessa {cloud} ei avaa sitä. Tämä komento keskittimellä, omalla osoitteellasi, tekee tilistä omistajan:",
  "system.cloudThen":
    "Siihenastinen omistaja jää ylläpitäjäksi. Lähdekoodista ajettaessa komento alkaa npm run -s ledge -- eikä sudo ledge.",
};
