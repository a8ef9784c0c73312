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
  "update.title": "Päivitys",
  "update.runs": "Versio {release} on käytössä.",
  "update.none": "Keskitin ei tiedä uudempaa.",
  "update.newer": "Versio {version} on uudempi.",
  "update.check": "Etsi uudempi versio",
  "update.install": "Asenna versio {version}",
  "update.installHow":
    "Keskitin hakee ja tarkistaa sen, minkä jälkeen laite käynnistyy uudelleen: muutamaan minuuttiin mitään ei voi ohjata eikä mikään sääntö toimi. Uusi versio jää käyttöön, kun se on toiminut minuutin. Muuten vanha palaa itsestään.",
  "update.installNow": "Asenna nyt",
  "update.notNow": "Ei nyt",
  "update.back": "Palaa versioon {version}",
  "update.backNow": "Palaa nyt",
  "update.losesNothing": "Mitään keskittimen tallentamaa ei häviä.",
  "update.loses":
    "Versio {version} ei pysty lukemaan tämän kirjoittamaa: kaikki, mitä keskitin on tallentanut hetken {time} jälkeen, häviäisi.",
  "update.reboots": "Laite käynnistyy uudelleen.",
  "phase.FETCHING": "Uutta versiota haetaan.",
  "phase.CHECKING": "Uutta versiota tarkistetaan.",
  "phase.INSTALLING": "Versiota {version} kirjoitetaan.",
  "phase.INSTALLED":
    "Versio {version} on kirjoitettu, ja laite käynnistyy uudelleen. Tämä sivu jatkaa itsestään, kun se on palannut.",
  "phase.TRIAL": "Versio {version} on koekäytössä minuutin.",
  "phase.RETURNING": "Laite palaa versioon {version}.",
  "ended.INSTALLED": "Versio {version} asennettiin, {time}.",
  "ended.FAILED": "Päivitys epäonnistui, {time}:",
  "ended.ROLLED_BACK": "Versiosta {version} luovuttiin, {time}:",
  "sticks.title": "Radiot ja portit",
  "sticks.usedBy": "käytössä: {protocol}",
  "sticks.gone": "käytössä: {protocol}, mutta ei kytkettynä",
  "sticks.giveUp": "Lopeta kohteen {name} käyttö: {protocol}",
  "sticks.givenUp": "{name} ei ole enää käytössä: {protocol}",
  "lock.title": "Lukitus",
  "lock.how":
    "Lukitus pitää laitteiden asetukset ennallaan ja estää laitteiden poistamisen. Niitä voi ohjata, nimetä ja siirtää kuten ennenkin. Vain omistaja avaa lukituksen.",
  "lock.count": "{n}/{all} laitetta on lukittu.",
  "lock.all": "Lukitse kaikki laitteet",
  "lock.sure": "Keskitin tekee myös varmuuskopion, ilman avaimia.",
  "lock.now": "Lukitse",
  "lock.not": "Jätä auki",
  "lock.locked": "Kaikki laitteet on lukittu",
  "lock.unlock": "Avaa kaikkien laitteiden lukitus",
  "lock.unlocked": "Laitteiden lukitus on avattu",
};
