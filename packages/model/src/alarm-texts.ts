import { certificateAlarmKinds } from "./certificate-alarm-texts.ts";
import type { Language, Texts } from "./language.ts";
import { filledIn, languages } from "./language.ts";
import { ruleAlarmKinds, ruleStopTexts } from "./rule-alarm-texts.ts";

export type AlarmLevel = "info" | "warn" | "err";

/** Orders levels: a higher number matters more. */
export const importance: Readonly<Record<AlarmLevel, number>> = { info: 0, warn: 1, err: 2 };

/** The texts of an alarm; `{fact}` in a message stands for a fact of the case. */
interface AlarmKindTexts {
  readonly level: AlarmLevel;
  readonly title: Texts;
  readonly message: Texts;
}

/** Why an adapter failed. */
export type AdapterFailure = "exception" | "exit" | "hang" | "signal" | "memory" | "settings" | "garbage";

/** Every kind of alarm with all its texts. */
const kinds = {
  ...ruleAlarmKinds,
  ...certificateAlarmKinds,
  ADAPTER_FAILED: {
    level: "warn",
    title: {
      en: "An adapter failed",
      fi: "Sovitin kaatui",
      sv: "En adapter slutade fungera",
      de: "Ein Adapter ist ausgefallen",
    },
    message: {
      en: "The adapter {name} {failure} and is being restarted. It has failed {count} times. ({detail})",
      fi: "Sovitin {name} {failure}, ja se käynnistetään uudelleen. Se on kaatunut {count} kertaa. ({detail})",
      sv: "Adaptern {name} {failure} och startas om. Den har slutat fungera {count} gånger. ({detail})",
      de: "Der Adapter {name} {failure} und wird neu gestartet. Er ist {count}-mal ausgefallen. ({detail})",
    },
  },
  ADAPTER_RESTING: {
    level: "err",
    title: {
      en: "An adapter no longer runs",
      fi: "Sovitin ei ole käynnissä",
      sv: "En adapter körs inte längre",
      de: "Ein Adapter läuft nicht mehr",
    },
    message: {
      en: "The adapter {name} {failure} and is not restarted any more. Its devices do not answer. ({detail})",
      fi: "Sovitin {name} {failure}, eikä sitä käynnistetä uudelleen itsestään. Sen laitteet eivät vastaa. ({detail})",
      sv: "Adaptern {name} {failure} och startas inte om av sig själv. Dess enheter svarar inte. ({detail})",
      de: "Der Adapter {name} {failure} und wird nicht von selbst neu gestartet. Seine Geräte antworten nicht. ({detail})",
    },
  },
  DEVICE_UNREACHABLE: {
    level: "warn",
    title: {
      en: "A device does not answer",
      fi: "Laite ei vastaa",
      sv: "En enhet svarar inte",
      de: "Ein Gerät antwortet nicht",
    },
    message: {
      en: "{name} cannot be reached. See whether it has power and is in range. The alarm closes when it answers again.",
      fi: "Laitteeseen {name} ei saada yhteyttä. Tarkista, että siinä on virta ja että se on kantaman sisällä. Hälytys sulkeutuu, kun se vastaa taas.",
      sv: "{name} går inte att nå. Kontrollera att enheten har ström och är inom räckhåll. Larmet stängs när den svarar igen.",
      de: "{name} ist nicht erreichbar. Prüfen Sie, ob das Gerät Strom hat und in Reichweite ist. Der Alarm schließt sich, wenn es wieder antwortet.",
    },
  },
  RADIO_UNREACHABLE: {
    level: "err",
    title: {
      en: "The connection to devices is gone",
      fi: "Yhteys laitteisiin on poikki",
      sv: "Förbindelsen till enheter är bruten",
      de: "Die Verbindung zu Geräten ist unterbrochen",
    },
    message: {
      en: "None of the {devices} devices on {name} ({adapter}) answers: the cause is likely what they share, not the devices. See whether its port, cable or radio is plugged in and has power.",
      fi: "Yksikään yhteyden {name} ({adapter}) laitteista ({devices}) ei vastaa: syy on todennäköisesti niiden yhteisessä yhteydessä, ei laitteissa. Tarkista, että portti, kaapeli tai radio on kytketty ja että siinä on virta.",
      sv: "Ingen av de {devices} enheterna på {name} ({adapter}) svarar: orsaken är troligen det som de delar, inte enheterna. Kontrollera att porten, kabeln eller radion är ansluten och har ström.",
      de: "Keines der {devices} Geräte an {name} ({adapter}) antwortet: Die Ursache ist vermutlich, was sie teilen, nicht die Geräte. Prüfen Sie, ob Anschluss, Kabel oder Funkmodul eingesteckt ist und Strom hat.",
    },
  },
  KEY_RECOVERED: {
    level: "warn",
    title: {
      en: "A key was made at the hub itself",
      fi: "Avain luotiin itse keskittimellä",
      sv: "En nyckel skapades på själva hubben",
      de: "Am Hub selbst wurde ein Schlüssel erstellt",
    },
    message: {
      en: "Somebody with access to the system of {name} has made a key for the owner that is valid for a day. If none of you did, change the system's passwords.",
      fi: "Joku, jolla on pääsy keskittimen {name} järjestelmään, on luonut omistajan avaimen, joka on voimassa vuorokauden. Ellei se ollut kukaan teistä, vaihda järjestelmän salasanat.",
      sv: "Någon med åtkomst till systemet i {name} har skapat en nyckel för ägaren som gäller ett dygn. Om det inte var någon av er, byt systemets lösenord.",
      de: "Jemand mit Zugang zum System von {name} hat einen Schlüssel des Eigentümers erstellt, der einen Tag gilt. War es niemand von Ihnen, ändern Sie die Passwörter des Systems.",
    },
  },
  REPORTS_LOST: {
    level: "warn",
    title: {
      en: "Device reports were lost",
      fi: "Laitteiden ilmoituksia katosi",
      sv: "Enhetsrapporter gick förlorade",
      de: "Gerätemeldungen gingen verloren",
    },
    message: {
      en: "The adapter {name} reported faster than the hub could store: {count} reports were lost.",
      fi: "Sovitin {name} ilmoitti nopeammin kuin keskitin ehti tallentaa: {count} ilmoitusta katosi.",
      sv: "Adaptern {name} rapporterade snabbare än hubben kunde spara: {count} rapporter gick förlorade.",
      de: "Der Adapter {name} meldete schneller, als der Hub speichern konnte: {count} Meldungen gingen verloren.",
    },
  },
  DISK_FULL: {
    level: "err",
    title: {
      en: "The disk was full",
      fi: "Levy oli täynnä",
      sv: "Disken var full",
      de: "Der Speicher war voll",
    },
    message: {
      en: "The disk of {name} was full, and changes were refused until there was space again. ({detail})",
      fi: "Keskittimen {name} levy oli täynnä, ja muutokset hylättiin, kunnes tilaa oli taas. ({detail})",
      sv: "Disken i {name} var full, och ändringar avvisades tills det fanns plats igen. ({detail})",
      de: "Der Speicher von {name} war voll, und Änderungen wurden abgelehnt, bis wieder Platz war. ({detail})",
    },
  },
  LOG_SHARE_SPENT: {
    level: "warn",
    title: {
      en: "A user has changed too much today",
      fi: "Käyttäjä on muuttanut tänään liikaa",
      sv: "En användare har ändrat för mycket i dag",
      de: "Ein Benutzer hat heute zu viel geändert",
    },
    message: {
      en: "The user {name} has added {kibibytes} KiB to the hub's log, as much as one may in a day. Further changes by this user are refused until the day is over. If you do not know why, take the user's access away.",
      fi: "Käyttäjä {name} on lisännyt keskittimen lokiin {kibibytes} KiB, niin paljon kuin päivässä saa. Käyttäjän muut muutokset hylätään, kunnes vuorokausi on kulunut. Jos et tiedä syytä, poista käyttäjän pääsy.",
      sv: "Användaren {name} har lagt till {kibibytes} KiB i hubbens logg, så mycket som man får på ett dygn. Fler ändringar av användaren avvisas tills dygnet är slut. Om du inte vet varför, ta bort användarens åtkomst.",
      de: "Der Benutzer {name} hat dem Protokoll des Hubs {kibibytes} KiB hinzugefügt, so viel wie an einem Tag erlaubt ist. Weitere Änderungen dieses Benutzers werden abgelehnt, bis der Tag vorbei ist. Wenn Sie den Grund nicht kennen, entziehen Sie ihm den Zugang.",
    },
  },
  LOG_OVER_QUOTA: {
    level: "warn",
    title: {
      en: "The hub's log is larger than it may be",
      fi: "Keskittimen loki on sallittua suurempi",
      sv: "Hubbens logg är större än den får vara",
      de: "Das Protokoll des Hubs ist größer, als es sein darf",
    },
    message: {
      en: "The log of {name} takes {usedMebibytes} MiB of {quotaMebibytes} MiB, and what is left in it is kept forever. Allow it more in the hub's profile. The alarm closes when it has room again.",
      fi: "Keskittimen {name} loki vie {usedMebibytes} MiB, kun sallittua on {quotaMebibytes} MiB, ja jäljellä oleva säilytetään pysyvästi. Salli sille enemmän keskittimen profiilissa. Hälytys sulkeutuu, kun tilaa on taas.",
      sv: "Loggen i {name} tar {usedMebibytes} MiB av {quotaMebibytes} MiB, och det som finns kvar i den sparas för alltid. Tillåt den mer i hubbens profil. Larmet stängs när den har plats igen.",
      de: "Das Protokoll von {name} belegt {usedMebibytes} MiB von {quotaMebibytes} MiB, und was noch darin steht, wird für immer aufbewahrt. Erlauben Sie ihm im Profil des Hubs mehr. Der Alarm schließt sich, wenn es wieder Platz hat.",
    },
  },
  SAFE_MODE: {
    level: "err",
    title: {
      en: "The hub runs in safe mode",
      fi: "Keskitin on vikasietotilassa",
      sv: "Hubben körs i felsäkert läge",
      de: "Der Hub läuft im abgesicherten Modus",
    },
    message: {
      en: "{name} could not read all of its log and takes no changes until it is repaired. ({detail})",
      fi: "{name} ei voinut lukea koko lokiaan eikä ota vastaan muutoksia, ennen kuin se on korjattu. ({detail})",
      sv: "{name} kunde inte läsa hela sin logg och tar inte emot ändringar förrän den är reparerad. ({detail})",
      de: "{name} konnte sein Protokoll nicht ganz lesen und nimmt keine Änderungen an, bis es repariert ist. ({detail})",
    },
  },
  CLOCK_JUMP: {
    level: "warn",
    title: {
      en: "The clock jumped",
      fi: "Kello hyppäsi",
      sv: "Klockan hoppade",
      de: "Die Uhr ist gesprungen",
    },
    message: {
      en: "The clock of {name} jumped. Schedules wait until it can be trusted again. ({detail})",
      fi: "Keskittimen {name} kello hyppäsi. Ajastukset odottavat, kunnes siihen voi taas luottaa. ({detail})",
      sv: "Klockan i {name} hoppade. Scheman väntar tills den är att lita på igen. ({detail})",
      de: "Die Uhr von {name} ist gesprungen. Zeitpläne warten, bis ihr wieder zu trauen ist. ({detail})",
    },
  },
  LOG_DAMAGED: {
    level: "err",
    title: {
      en: "A part of the log is lost",
      fi: "Osa lokista on menetetty",
      sv: "En del av loggen har gått förlorad",
      de: "Ein Teil des Protokolls ist verloren",
    },
    message: {
      en: "The log of {name} was damaged. What was readable is kept. ({detail})",
      fi: "Keskittimen {name} loki oli vaurioitunut. Luettavissa ollut osa on säilytetty. ({detail})",
      sv: "Loggen i {name} var skadad. Det som gick att läsa är bevarat. ({detail})",
      de: "Das Protokoll von {name} war beschädigt. Was lesbar war, ist erhalten. ({detail})",
    },
  },
  SECRETS_LOST: {
    level: "err",
    title: {
      en: "Stored keys and passwords cannot be read",
      fi: "Tallennettuja avaimia ja salasanoja ei voi lukea",
      sv: "Sparade nycklar och lösenord kan inte läsas",
      de: "Gespeicherte Schlüssel und Passwörter sind nicht lesbar",
    },
    message: {
      en: "The adapters of {name} have lost the keys and passwords that they kept, and need them again. ({detail})",
      fi: "Keskittimen {name} sovittimet ovat menettäneet tallentamansa avaimet ja salasanat ja tarvitsevat ne uudelleen. ({detail})",
      sv: "Adaptrarna i {name} har förlorat de nycklar och lösenord som de sparade och behöver dem på nytt. ({detail})",
      de: "Die Adapter von {name} haben die Schlüssel und Passwörter verloren, die sie aufbewahrten, und brauchen sie neu. ({detail})",
    },
  },
  IDENTITY_LOST: {
    level: "err",
    title: {
      en: "The hub's identity key is lost",
      fi: "Keskittimen tunnistusavain on kadonnut",
      sv: "Hubbens identitetsnyckel är borta",
      de: "Der Identitätsschlüssel des Hubs ist verloren",
    },
    message: {
      en: "{name} cannot be reached through its cloud until its identity key is put back, or a new one is made. ({detail})",
      fi: "Keskittimeen {name} ei saa yhteyttä pilven kautta, ennen kuin sen tunnistusavain palautetaan tai uusi luodaan. ({detail})",
      sv: "{name} kan inte nås genom sitt moln förrän identitetsnyckeln läggs tillbaka eller en ny skapas. ({detail})",
      de: "{name} ist über die Cloud nicht erreichbar, bis der Identitätsschlüssel zurückgelegt oder ein neuer erzeugt wird. ({detail})",
    },
  },
  HUB_CLONED: {
    level: "err",
    title: {
      en: "Two hubs have one identity",
      fi: "Kahdella keskittimellä on sama tunniste",
      sv: "Två hubbar har samma identitet",
      de: "Zwei Hubs haben eine Identität",
    },
    message: {
      en: "There is another hub that says it is {name}, such as a restored backup beside its original, or a copied card. The cloud reaches only one of them. Turn one off. ({detail})",
      fi: "Toinenkin keskitin ilmoittaa olevansa {name}, esimerkiksi palautettu varmuuskopio alkuperäisen rinnalla tai kopioitu kortti. Pilvi tavoittaa niistä vain yhden. Sammuta toinen. ({detail})",
      sv: "Det finns en hubb till som säger sig vara {name}, till exempel en återställd säkerhetskopia vid sidan av originalet eller ett kopierat kort. Molnet når bara en av dem. Stäng av en. ({detail})",
      de: "Ein weiterer Hub gibt sich als {name} aus, etwa eine wiederhergestellte Sicherung neben dem Original oder eine kopierte Karte. Die Cloud erreicht nur einen davon. Schalten Sie einen aus. ({detail})",
    },
  },
  CERTIFICATE_CHANGED: {
    level: "err",
    title: {
      en: "The hub's certificate is lost",
      fi: "Keskittimen varmenne on kadonnut",
      sv: "Hubbens certifikat är borta",
      de: "Das Zertifikat des Hubs ist verloren",
    },
    message: {
      en: "The certificate of {name} is not the one that your devices know. Compare the new fingerprint before you trust it. ({detail})",
      fi: "Keskittimen {name} varmenne ei ole se, jonka laitteesi tuntevat. Vertaa uutta sormenjälkeä, ennen kuin luotat siihen. ({detail})",
      sv: "Certifikatet för {name} är inte det som dina enheter känner. Jämför det nya fingeravtrycket innan du litar på det. ({detail})",
      de: "Das Zertifikat von {name} ist nicht das, was Ihre Geräte kennen. Vergleichen Sie den neuen Fingerabdruck, bevor Sie ihm trauen. ({detail})",
    },
  },
  NAMES_LOST: {
    level: "err",
    title: {
      en: "Names and addresses of users cannot be read",
      fi: "Käyttäjien nimiä ja osoitteita ei voi lukea",
      sv: "Användarnas namn och adresser går inte att läsa",
      de: "Namen und Adressen der Benutzer sind nicht lesbar",
    },
    message: {
      en: "{name} has lost the keys to the personal data of its users. Put personal-keys.json back. ({detail})",
      fi: "{name} on menettänyt käyttäjätietojen avaimet. Palauta personal-keys.json. ({detail})",
      sv: "{name} har förlorat nycklarna till användarnas uppgifter. Lägg tillbaka personal-keys.json. ({detail})",
      de: "{name} hat die Schlüssel der Benutzerdaten verloren. Legen Sie personal-keys.json zurück. ({detail})",
    },
  },
  MESSAGES_HELD_BACK: {
    level: "warn",
    title: {
      en: "Messages were held back",
      fi: "Viestejä pidätettiin",
      sv: "Meddelanden hölls tillbaka",
      de: "Nachrichten wurden zurückgehalten",
    },
    message: {
      en: "{name} wanted to send more messages than it may: {count} of them were not sent.",
      fi: "{name} yritti lähettää sallittua enemmän: {count} viestiä jäi lähettämättä.",
      sv: "{name} ville säga mer än tillåtet: {count} meddelanden skickades inte.",
      de: "{name} wollte mehr sagen, als erlaubt ist: {count} Nachrichten wurden nicht gesendet.",
    },
  },
  MESSAGES_LOST: {
    level: "warn",
    title: {
      en: "Messages were not sent",
      fi: "Viestejä jäi lähettämättä",
      sv: "Meddelanden skickades inte",
      de: "Nachrichten wurden nicht gesendet",
    },
    message: {
      en: "Too many messages of {name} were waiting to be sent: {count} of them were dropped.",
      fi: "Keskittimen {name} viestejä odotti enemmän kuin säilytetään: {count} hylättiin.",
      sv: "Fler meddelanden från {name} väntade än vad som sparas: {count} gavs upp.",
      de: "Von {name} warteten mehr Nachrichten, als aufbewahrt werden: {count} wurden aufgegeben.",
    },
  },
  PRICES_MISSING: {
    level: "warn",
    title: {
      en: "Tomorrow's electricity prices are missing",
      fi: "Huomisen sähkön hinnat puuttuvat",
      sv: "Morgondagens elpriser saknas",
      de: "Die Strompreise für morgen fehlen",
    },
    message: {
      en: "{name} has no electricity prices for tomorrow. What goes by prices falls back on its times. ({detail})",
      fi: "Keskittimellä {name} ei ole huomisen sähkön hintoja. Hintoja seuraavat toiminnot käyttävät varalla olevia aikojaan. ({detail})",
      sv: "{name} har inga elpriser för morgondagen. Det som följer priserna använder sina reservtider. ({detail})",
      de: "{name} hat keine Strompreise für morgen. Was sich nach Preisen richtet, fällt auf seine Zeiten zurück. ({detail})",
    },
  },
  RADIO_JAMMED: {
    level: "err",
    title: {
      en: "The air is jammed",
      fi: "Radiotie on tukossa",
      sv: "Etern är störd",
      de: "Der Funk ist gestört",
    },
    message: {
      en: "The radio of the adapter {name} sends nothing: the air is full of other signals, or the stick is at fault. Move it away from other electronics, on an extension cable. The alarm closes when it sends again.",
      fi: "Sovittimen {name} radio ei lähetä mitään: radiotie on täynnä muita signaaleja, tai tikussa on vika. Siirrä se jatkojohdolla kauemmas muista laitteista. Hälytys sulkeutuu, kun se lähettää taas.",
      sv: "Radion i adaptern {name} sänder ingenting: etern är full av andra signaler, eller så är det fel på stickan. Flytta den bort från annan elektronik med en förlängningskabel. Larmet stängs när den sänder igen.",
      de: "Das Funkmodul des Adapters {name} sendet nichts: Der Funk ist voll anderer Signale, oder der Stick hat einen Fehler. Rücken Sie ihn mit einem Verlängerungskabel von anderer Elektronik weg. Der Alarm schließt sich, wenn er wieder sendet.",
    },
  },
  STICK_FOUND: {
    level: "info",
    title: {
      en: "A radio was found",
      fi: "Radio löytyi",
      sv: "En radio hittades",
      de: "Ein Funkmodul wurde gefunden",
    },
    message: {
      en: "{name} can be the radio for {protocol}, which has none yet. It is not used until somebody chooses it. ({port})",
      fi: "{name} sopii radioksi: {protocol}-yhteydellä ei ole vielä sellaista. Sitä ei käytetä, ennen kuin joku valitsee sen. ({port})",
      sv: "{name} kan bli radio för {protocol}, som inte har någon än. Den används inte förrän någon väljer den. ({port})",
      de: "{name} kann das Funkmodul für {protocol} sein, das noch keines hat. Es wird erst benutzt, wenn jemand es auswählt. ({port})",
    },
  },
  STICK_SWAPPED: {
    level: "err",
    title: {
      en: "The radio has another network",
      fi: "Radiolla on toinen verkko",
      sv: "Radion har ett annat nät",
      de: "Das Funkmodul hat ein anderes Netz",
    },
    message: {
      en: "The stick of the adapter {name} has another network than the devices, and reaches none of them. Put the old stick back, or restore its network to this one.",
      fi: "Sovittimen {name} tikulla on toinen verkko kuin laitteilla, eikä se tavoita niistä yhtäkään. Palauta vanha tikku, tai palauta sen verkko tälle tikulle.",
      sv: "Stickan i adaptern {name} har ett annat nät än enheterna och når ingen av dem. Sätt tillbaka den gamla stickan, eller återställ dess nät till den här.",
      de: "Der Stick des Adapters {name} hat ein anderes Netz als die Geräte und erreicht keines von ihnen. Stecken Sie den alten Stick wieder ein, oder stellen Sie dessen Netz auf diesem wieder her.",
    },
  },
} as const satisfies Readonly<Record<string, AlarmKindTexts>>;

export type AlarmKind = keyof typeof kinds;

/** The kinds of alarms, by name. */
export const alarmKinds = Object.keys(kinds) as readonly AlarmKind[];

/** How an adapter failed, as a part of a sentence. */
const failures: Readonly<Record<AdapterFailure, Texts>> = {
  exception: {
    en: "met an error that it could not handle",
    fi: "kohtasi virheen, jota se ei osannut käsitellä",
    sv: "råkade ut för ett fel som den inte kunde hantera",
    de: "ist auf einen Fehler gestoßen, den er nicht behandeln konnte",
  },
  exit: {
    en: "ended unexpectedly",
    fi: "päättyi odottamatta",
    sv: "avslutades oväntat",
    de: "hat sich unerwartet beendet",
  },
  hang: {
    en: "no longer answered",
    fi: "ei enää vastannut",
    sv: "svarade inte längre",
    de: "hat nicht mehr geantwortet",
  },
  signal: {
    en: "was ended by a signal",
    fi: "päättyi signaaliin",
    sv: "avslutades av en signal",
    de: "wurde durch ein Signal beendet",
  },
  memory: {
    en: "used more memory than it may",
    fi: "käytti muistia enemmän kuin saa",
    sv: "använde mer minne än den får",
    de: "hat mehr Speicher verbraucht, als er darf",
  },
  settings: {
    en: "has wrong settings",
    fi: "on väärin asetettu",
    sv: "har fel inställningar",
    de: "ist falsch eingestellt",
  },
  garbage: {
    en: "sent messages that make no sense",
    fi: "lähetti käsittämättömiä viestejä",
    sv: "skickade obegripliga meddelanden",
    de: "hat unverständliche Nachrichten gesendet",
  },
};

/** The values for an alarm's texts. `failure` is an `AdapterFailure`. */
export type AlarmFacts = Readonly<Record<string, string | number>>;

/** Returns the texts of a kind of alarm; for an unknown kind, its name. */
export function alarmTexts(
  kind: string,
  facts: AlarmFacts,
): { readonly level: AlarmLevel; readonly title: Texts; readonly message: Texts } {
  if (!Object.hasOwn(kinds, kind)) {
    const name = inAll(() => kind);
    return { level: "warn", title: name, message: inAll(() => escaped(kind)) };
  }
  const { level, title, message } = kinds[kind as AlarmKind];
  return { level, title, message: inAll((language) => filled(message[language], facts, language, escaped)) };
}

/** Returns an alarm as one text without markup, for messages. */
export function alarmMessage(kind: AlarmKind, facts: AlarmFacts, language: Language): string {
  const { title, message } = kinds[kind];
  return `${title[language]}: ${filled(message[language], facts, language, (fact) => fact)}`;
}

/** Returns the level of a kind of alarm. */
export function alarmLevel(kind: AlarmKind): AlarmLevel {
  return kinds[kind].level;
}

export function isAlarmKind(kind: string): kind is AlarmKind {
  return Object.hasOwn(kinds, kind);
}

function inAll(text: (language: Language) => string): Texts {
  return Object.fromEntries(languages.map((language) => [language, text(language)])) as Record<
    Language,
    string
  >;
}

/** An unknown fact reads as a dash. */
function filled(
  template: string,
  facts: AlarmFacts,
  language: Language,
  shown: (fact: string) => string,
): string {
  return filledIn(template, (name) => {
    const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
    if (name === "failure" && Object.hasOwn(failures, String(fact)))
      return failures[fact as AdapterFailure][language];
    if (name === "reason" && Object.hasOwn(ruleStopTexts, String(fact)))
      return ruleStopTexts[fact as keyof typeof ruleStopTexts][language];
    return shown(String(fact ?? "-"));
  });
}

/** Clients may read a message as markup, so text from outside is escaped. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
