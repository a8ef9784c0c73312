import { filledIn, type Language, type Texts } from "./language.ts";

/** The texts of `GET /why`, by id. Words in braces, such as `{name}` and `{who}`, are parameters. */
const texts = {
  // who
  "by.user": { en: "a user", fi: "käyttäjä", sv: "en användare", de: "ein Benutzer" },
  "by.rule": { en: "the rule {name}", fi: "sääntö {name}", sv: "regeln {name}", de: "die Regel {name}" },
  "by.scene": { en: "the scene {name}", fi: "tilanne {name}", sv: "scenen {name}", de: "die Szene {name}" },
  "by.device": {
    en: "somebody at the device",
    fi: "joku laitteella",
    sv: "någon vid enheten",
    de: "jemand am Gerät",
  },
  "by.resync": { en: "the device", fi: "laite", sv: "enheten", de: "das Gerät" },
  "by.clock": { en: "the clock", fi: "kello", sv: "klockan", de: "die Uhr" },
  "by.system": { en: "the hub", fi: "keskitin", sv: "hubben", de: "der Hub" },
  "by.console": {
    en: "somebody at the console",
    fi: "joku konsolilla",
    sv: "någon vid konsolen",
    de: "jemand an der Konsole",
  },
  "by.modbus": {
    en: "the Modbus client {name}",
    fi: "Modbus-asiakas {name}",
    sv: "Modbus-klienten {name}",
    de: "der Modbus-Client {name}",
  },
  "by.autoconfig": { en: "the setup", fi: "asennus", sv: "installationen", de: "die Einrichtung" },
  "by.relayed": {
    en: "{who}, over the internet,",
    fi: "{who} (internetin kautta)",
    sv: "{who} (via internet)",
    de: "{who} (über das Internet)",
  },
  "by.local": {
    en: "{who}, in the local network,",
    fi: "{who} (lähiverkosta)",
    sv: "{who} (i det lokala nätet)",
    de: "{who} (im lokalen Netz)",
  },
  // what happened
  told: {
    en: "{who} told {name}: {what}",
    fi: "{who} ohjasi: {name}, {what}",
    sv: "{who} styrde {name}: {what}",
    de: "{who} hat {name} gesteuert: {what}",
  },
  toldGroup: {
    en: "{who} told the group {group}, and so {name}: {what}",
    fi: "{who} ohjasi ryhmää {group} ja siten: {name}, {what}",
    sv: "{who} styrde gruppen {group} och därmed {name}: {what}",
    de: "{who} hat die Gruppe {group} und damit {name} gesteuert: {what}",
  },
  known: {
    en: "{changed} (so it said when the hub heard of it again)",
    fi: "{changed} (näin se kertoi, kun keskitin kuuli siitä taas)",
    sv: "{changed} (så sade den när hubben hörde av den igen)",
    de: "{changed} (so meldete es sich, als der Hub wieder von ihm hörte)",
  },
  byHand: {
    en: "{changed}: nobody told it to, it was used by hand or did so by itself",
    fi: "{changed}: kukaan ei ohjannut sitä, sitä käytettiin käsin tai se teki niin itse",
    sv: "{changed}: ingen styrde den, den användes för hand eller gjorde det själv",
    de: "{changed}: Niemand hat es gesteuert, es wurde von Hand bedient oder tat es von selbst",
  },
  ruleActed: { en: "{rule} acted", fi: "{rule} toimi", sv: "{rule} reagerade", de: "{rule} hat reagiert" },
  ruleActedAs: {
    en: "{rule} acted, as: {readings}",
    fi: "{rule} toimi, koska: {readings}",
    sv: "{rule} reagerade, eftersom: {readings}",
    de: "{rule} hat reagiert, da: {readings}",
  },
  timerFired: {
    en: "{rule}: the time was over ({timer})",
    fi: "{rule}: aika kului ({timer})",
    sv: "{rule}: tiden var ute ({timer})",
    de: "{rule}: die Zeit war um ({timer})",
  },
  timesEdge: {
    en: "{rule}: one of its times began or ended",
    fi: "{rule}: jokin sen ajoista alkoi tai päättyi",
    sv: "{rule}: en av dess tider började eller slutade",
    de: "{rule}: eine ihrer Zeiten begann oder endete",
  },
  timerSet: {
    en: "{rule} began to wait: {timer} {duration}",
    fi: "{rule} alkoi odottaa: {timer} {duration}",
    sv: "{rule} började vänta: {timer} {duration}",
    de: "{rule} begann zu warten: {timer} {duration}",
  },
  waiting: { en: "a while", fi: "hetki", sv: "en stund", de: "eine Weile" },
  timer: {
    en: "a timer was due: {name}",
    fi: "ajastin laukesi: {name}",
    sv: "en timer löste ut: {name}",
    de: "ein Zeitgeber war fällig: {name}",
  },
  failed: {
    en: "{name} did not do it: {message}",
    fi: "{name} ei totellut: {message}",
    sv: "{name} gjorde det inte: {message}",
    de: "{name} hat es nicht getan: {message}",
  },
  expired: {
    en: "{name} was not told in time: the hub was down",
    fi: "Käsky ei ehtinyt perille ({name}): keskitin oli poissa",
    sv: "{name} fick inte kommandot i tid: hubben var nere",
    de: "{name} wurde nicht rechtzeitig gesteuert: Der Hub lief nicht",
  },
  suppressed: {
    en: "{rule} was kept from {name} by {by}",
    fi: "{rule} ei saanut ohjata: {name}, esti {by}",
    sv: "{rule} hindrades från {name} av {by}",
    de: "{rule} wurde von {name} ferngehalten durch {by}",
  },
  happened: {
    en: "{who}: {what} ({name})",
    fi: "{who}: {what} ({name})",
    sv: "{who}: {what} ({name})",
    de: "{who}: {what} ({name})",
  },
  "event.AdapterAway": {
    en: "The adapter {name} was away",
    fi: "Sovitin {name} oli poissa",
    sv: "Adaptern {name} var borta",
    de: "Der Adapter {name} war nicht da",
  },
  "event.SceneTurnedOn": {
    en: "{who} turned on the scene {name}",
    fi: "{who} kytki tilanteen {name}",
    sv: "{who} slog på scenen {name}",
    de: "{who} hat die Szene {name} eingeschaltet",
  },
  "event.SceneTurnedOff": {
    en: "{who} turned off the scene {name}",
    fi: "{who} kytki pois tilanteen {name}",
    sv: "{who} stängde av scenen {name}",
    de: "{who} hat die Szene {name} ausgeschaltet",
  },
  "event.RuleTurnedOn": {
    en: "{who} turned on the rule {name}",
    fi: "{who} kytki säännön {name}",
    sv: "{who} slog på regeln {name}",
    de: "{who} hat die Regel {name} eingeschaltet",
  },
  "event.RuleTurnedOff": {
    en: "{who} turned off the rule {name}",
    fi: "{who} kytki pois säännön {name}",
    sv: "{who} stängde av regeln {name}",
    de: "{who} hat die Regel {name} ausgeschaltet",
  },
  "event.RuleStopped": {
    en: "The rule {name} {reason} and was stopped",
    fi: "Sääntö {name} {reason} ja pysäytettiin",
    sv: "Regeln {name} {reason} och stoppades",
    de: "Die Regel {name} {reason} und wurde angehalten",
  },
  "event.Renamed": {
    en: "{who} named it {name}",
    fi: "{who} antoi nimen {name}",
    sv: "{who} gav den namnet {name}",
    de: "{who} hat es {name} genannt",
  },
  "event.Moved": {
    en: "{who} moved {name} to {room}",
    fi: "{who} siirsi: {name}, uusi huone {room}",
    sv: "{who} flyttade {name} till {room}",
    de: "{who} hat {name} verlegt nach {room}",
  },
  "event.Created": {
    en: "{who} made {name}",
    fi: "{who} loi: {name}",
    sv: "{who} skapade {name}",
    de: "{who} hat {name} angelegt",
  },
  "event.DeviceReplaced": {
    en: "{who} replaced the hardware of {name}",
    fi: "{who} vaihtoi laitteen: {name}",
    sv: "{who} bytte ut hårdvaran: {name}",
    de: "{who} hat das Gerät hinter {name} ersetzt",
  },
  "event.Removed": {
    en: "{who} removed {name}",
    fi: "{who} poisti: {name}",
    sv: "{who} tog bort {name}",
    de: "{who} hat {name} entfernt",
  },
  "event.Changed": {
    en: "{who} changed {name}",
    fi: "{who} muutti: {name}",
    sv: "{who} ändrade {name}",
    de: "{who} hat {name} geändert",
  },
  "event.HubChanged": {
    en: "{who} changed a setting of the hub",
    fi: "{who} muutti keskittimen asetusta",
    sv: "{who} ändrade en inställning i hubben",
    de: "{who} hat eine Einstellung des Hubs geändert",
  },
  "event.AlarmRaised": {
    en: "The hub raised an alarm about {name}",
    fi: "Keskitin hälytti: {name}",
    sv: "Hubben larmade om {name}",
    de: "Der Hub hat Alarm wegen {name} geschlagen",
  },
  "event.AlarmClosed": {
    en: "{who} closed the alarm about {name}",
    fi: "{who} sulki hälytyksen: {name}",
    sv: "{who} stängde larmet om {name}",
    de: "{who} hat den Alarm wegen {name} geschlossen",
  },
  called: {
    en: "{who} called {row} over the internet, {count} times, answered {status}",
    fi: "{who} kutsui internetin kautta {row}, {count} kertaa, vastaus {status}",
    sv: "{who} anropade {row} via internet, {count} gånger, svar {status}",
    de: "{who} rief über das Internet {row} auf, {count} Mal, Antwort {status}",
  },
  "event.PricesReceived": {
    en: "New prices of energy came",
    fi: "Uudet energian hinnat saapuivat",
    sv: "Nya energipriser kom",
    de: "Neue Energiepreise kamen",
  },
  noRoom: { en: "no room", fi: "ei huonetta", sv: "inget rum", de: "keinen Raum" },
  // readings
  reading: {
    en: "{device}: {shown}",
    fi: "{device}: {shown}",
    sv: "{device}: {shown}",
    de: "{device}: {shown}",
  },
  "reading.setting": {
    en: "{label} {value}",
    fi: "{label} {value}",
    sv: "{label} {value}",
    de: "{label} {value}",
  },
  "reading.times.true": { en: "{label}: now", fi: "{label}: nyt", sv: "{label}: nu", de: "{label}: jetzt" },
  "reading.times.false": {
    en: "{label}: not now",
    fi: "{label}: ei nyt",
    sv: "{label}: inte nu",
    de: "{label}: nicht jetzt",
  },
  "reading.alarm.true": {
    en: "the alarm {label} stands open",
    fi: "hälytys {label} on auki",
    sv: "larmet {label} står öppet",
    de: "der Alarm {label} steht offen",
  },
  "reading.alarm.false": {
    en: "no alarm {label} stands open",
    fi: "hälytystä {label} ei ole auki",
    sv: "inget larm {label} står öppet",
    de: "kein Alarm {label} steht offen",
  },
  "reading.change.isNews": {
    en: "{device} only said again what is known",
    fi: "{device} vain toisti tunnetun",
    sv: "{device} upprepade bara det kända",
    de: "{device} hat nur Bekanntes wiederholt",
  },
  "reading.change.before": {
    en: "before {device} said {shown}",
    fi: "aiemmin {device} kertoi {shown}",
    sv: "förut sade {device} {shown}",
    de: "vorher sagte {device} {shown}",
  },
  "reading.kept": {
    en: "the rule remembers {label} {value}",
    fi: "sääntö muistaa {label} {value}",
    sv: "regeln minns {label} {value}",
    de: "die Regel merkt sich {label} {value}",
  },
  "reading.now": {
    en: "it is not time yet",
    fi: "ei ole vielä aika",
    sv: "det är inte dags än",
    de: "es ist noch nicht Zeit",
  },
  "reading.price": {
    en: "energy costs {value}",
    fi: "energian hinta {value}",
    sv: "energin kostar {value}",
    de: "Energie kostet {value}",
  },
  // why not
  RULE_OFF: {
    en: "The rule is off",
    fi: "Sääntö on pois päältä",
    sv: "Regeln är av",
    de: "Die Regel ist aus",
  },
  RULE_OFF_BY: {
    en: "The rule is off since {time}: {text}",
    fi: "Sääntö on pois päältä {time} alkaen: {text}",
    sv: "Regeln är av sedan {time}: {text}",
    de: "Die Regel ist aus seit {time}: {text}",
  },
  NO_TEMPLATE: {
    en: "This release has no template {name}",
    fi: "Tässä versiossa ei ole mallia {name}",
    sv: "Den här versionen har ingen mall {name}",
    de: "Diese Version hat keine Vorlage {name}",
  },
  NO_FEATURE: {
    en: "The hub lacks the feature {name}",
    fi: "Keskittimestä puuttuu ominaisuus {name}",
    sv: "Hubben saknar funktionen {name}",
    de: "Dem Hub fehlt die Funktion {name}",
  },
  FAULT: {
    en: "The rule failed: {message}",
    fi: "Sääntö epäonnistui: {message}",
    sv: "Regeln misslyckades: {message}",
    de: "Die Regel ist gescheitert: {message}",
  },
  NOTHING_HEARD: {
    en: "Nothing has happened yet that the rule hears of",
    fi: "Mitään säännön kuulemaa ei ole vielä tapahtunut",
    sv: "Inget har ännu hänt som regeln hör av",
    de: "Noch ist nichts geschehen, wovon die Regel hört",
  },
  NOT_LISTENING: {
    en: "In the state {state} the rule does not react to this",
    fi: "Tilassa {state} sääntö ei reagoi tähän",
    sv: "I läget {state} reagerar regeln inte på detta",
    de: "Im Zustand {state} reagiert die Regel nicht darauf",
  },
  GUARD: {
    en: "{way}: {readings}",
    fi: "{way}: {readings}",
    sv: "{way}: {readings}",
    de: "{way}: {readings}",
  },
  WAITING: {
    en: "The rule waits until {time} ({timer})",
    fi: "Sääntö odottaa, kunnes {time} ({timer})",
    sv: "Regeln väntar till {time} ({timer})",
    de: "Die Regel wartet bis {time} ({timer})",
  },
  HELD: {
    en: "{name} is kept from rules until {time} by {by}",
    fi: "{name} ei ole sääntöjen ohjattavissa, kunnes {time}: {by}",
    sv: "{name} hålls undan regler till {time} av {by}",
    de: "{name} wird von Regeln ferngehalten bis {time} durch {by}",
  },
  PENDING: {
    en: "{name} was told and has not answered yet",
    fi: "Käsky on annettu ({name}), vastausta ei vielä ole",
    sv: "{name} har fått kommandot men inte svarat än",
    de: "{name} wurde gesteuert und hat noch nicht geantwortet",
  },
  ALREADY: {
    en: "{name} does so already: {what}",
    fi: "{name} tekee jo niin: {what}",
    sv: "{name} gör det redan: {what}",
    de: "{name} tut es schon: {what}",
  },
  UNREACHABLE: {
    en: "{name} is out of reach",
    fi: "{name} ei ole tavoitettavissa",
    sv: "{name} går inte att nå",
    de: "{name} ist nicht erreichbar",
  },
  GONE: {
    en: "What the home was like then is not in the log any more",
    fi: "Kodin silloinen tila ei ole enää lokissa",
    sv: "Hemmets läge då finns inte kvar i loggen",
    de: "Wie das Zuhause damals war, steht nicht mehr im Log",
  },
  acted: {
    en: "It did act: {what}",
    fi: "Se toimi: {what}",
    sv: "Den reagerade: {what}",
    de: "Sie hat reagiert: {what}",
  },
  nothing: { en: "nothing to do", fi: "ei tehtävää", sv: "inget att göra", de: "nichts zu tun" },
} as const satisfies Readonly<Record<string, Texts>>;

export type WhyTextId = keyof typeof texts;

export function isWhyText(id: string): id is WhyTextId {
  return Object.hasOwn(texts, id);
}

/** Returns a text of `GET /why`, as the beginning of a sentence. */
export function whyText(
  id: WhyTextId,
  language: Language,
  parameters: Readonly<Record<string, string>> = {},
): string {
  return filledIn(texts[id][language], (name) =>
    Object.hasOwn(parameters, name) ? parameters[name] : undefined,
  );
}
