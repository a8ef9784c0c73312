import type { AlarmKind } from "./alarm-texts.ts";
import { alarmMessage, isAlarmKind } from "./alarm-texts.ts";
import { filledIn, languages, type Texts } from "./language.ts";

/** All texts of the hub itself, by id. `{name}` stands for a parameter. */
const texts = {
  "housetype.block": { en: "Apartment", fi: "Kerrostalo", sv: "Flerfamiljshus", de: "Wohnung" },
  "housetype.row": { en: "Row house", fi: "Rivitalo", sv: "Radhus", de: "Reihenhaus" },
  "housetype.pair": { en: "Semi-detached house", fi: "Paritalo", sv: "Parhus", de: "Doppelhaus" },
  "housetype.house": { en: "House", fi: "Omakotitalo", sv: "Villa", de: "Einfamilienhaus" },
  "housetype.leisure": { en: "Holiday home", fi: "Vapaa-ajan asunto", sv: "Fritidshus", de: "Ferienhaus" },
  "housetype.industrial": { en: "Industrial", fi: "Teollisuuskiinteistö", sv: "Industri", de: "Gewerbe" },
  "housetype.other": { en: "Other", fi: "Muu", sv: "Annan", de: "Sonstiges" },
  "pairing.press-button": {
    en: "Press the button on the device.",
    fi: "Paina laitteen painiketta.",
    sv: "Tryck på knappen på enheten.",
    de: "Drücken Sie die Taste am Gerät.",
  },
  "pairing.wait": {
    en: "The device is joining. This may take a minute.",
    fi: "Laite liittyy. Tämä voi kestää minuutin.",
    sv: "Enheten ansluter. Det kan ta en minut.",
    de: "Das Gerät verbindet sich. Das kann eine Minute dauern.",
  },
  "pairing.move-closer": {
    en: "The device is hard to hear. Move it closer to the hub.",
    fi: "Laitteen yhteys on heikko. Siirrä se lähemmäs keskitintä.",
    sv: "Enheten hörs dåligt. Flytta den närmare hubben.",
    de: "Das Gerät ist schlecht zu empfangen. Bringen Sie es näher an den Hub.",
  },
  "pairing.zwave-pin": {
    en: "Enter the five digits of the PIN on the device's label. The rest of its key is {dsk}.",
    fi: "Anna laitteen tarran viisinumeroinen PIN-koodi. Avaimen loppuosa on {dsk}.",
    sv: "Ange den femsiffriga PIN-koden på enhetens etikett. Resten av nyckeln är {dsk}.",
    de: "Geben Sie die fünfstellige PIN vom Aufkleber des Geräts ein. Der Rest des Schlüssels ist {dsk}.",
  },
  "pairing.zwave-keys": {
    en: "Choose the keys that the device may have. It asks for {keys}.",
    fi: "Valitse avaimet, jotka laite saa. Se pyytää: {keys}.",
    sv: "Välj de nycklar som enheten får ha. Den ber om {keys}.",
    de: "Wählen Sie die Schlüssel, die das Gerät haben darf. Es verlangt {keys}.",
  },
  "pairing.zwave-wrong-pin": {
    en: "The PIN was wrong. Take the device out of the network, then add it again.",
    fi: "PIN-koodi oli väärä. Poista laite verkosta ja lisää se uudelleen.",
    sv: "PIN-koden var fel. Ta bort enheten från nätverket och lägg till den igen.",
    de: "Die PIN war falsch. Nehmen Sie das Gerät aus dem Netzwerk und fügen Sie es erneut hinzu.",
  },
  "pairing.zwave-late": {
    en: "The device was not answered in time. Take it out of the network, then add it again.",
    fi: "Laite ei saanut vastausta ajoissa. Poista se verkosta ja lisää se uudelleen.",
    sv: "Enheten fick inget svar i tid. Ta bort den från nätverket och lägg till den igen.",
    de: "Das Gerät bekam nicht rechtzeitig Antwort. Nehmen Sie es aus dem Netzwerk und fügen Sie es erneut hinzu.",
  },
  "pairing.zwave-no-keys": {
    en: "The device has joined without its keys. Take it out of the network, then add it again.",
    fi: "Laite liittyi ilman avaimia. Poista se verkosta ja lisää se uudelleen.",
    sv: "Enheten anslöts utan sina nycklar. Ta bort den från nätverket och lägg till den igen.",
    de: "Das Gerät ist ohne seine Schlüssel beigetreten. Nehmen Sie es aus dem Netzwerk und fügen Sie es erneut hinzu.",
  },
  "pairing.zwave-silent": {
    en: "Device {node} has joined, but does not answer. Bring it closer to the hub, or remove it as failed.",
    fi: "Laite {node} liittyi, mutta ei vastaa. Siirrä se lähemmäs keskitintä tai poista se vikaantuneena.",
    sv: "Enhet {node} är ansluten men svarar inte. Flytta den närmare hubben eller ta bort den som felaktig.",
    de: "Gerät {node} ist beigetreten, antwortet aber nicht. Bringen Sie es näher an den Hub oder entfernen Sie es als ausgefallen.",
  },
  "pairing.camera-login": {
    en: "The camera at {address} wants a user name and a password. Enter them with its address.",
    fi: "Kamera osoitteessa {address} vaatii käyttäjänimen ja salasanan. Anna ne osoitteen kanssa.",
    sv: "Kameran på {address} kräver användarnamn och lösenord. Ange dem tillsammans med adressen.",
    de: "Die Kamera unter {address} verlangt Benutzername und Passwort. Geben Sie beides mit der Adresse ein.",
  },
  "pairing.failed": {
    en: "The device could not be paired. Reset it and try again.",
    fi: "Laitetta ei voitu liittää. Palauta sen tehdasasetukset ja yritä uudelleen.",
    sv: "Enheten kunde inte anslutas. Återställ den och försök igen.",
    de: "Das Gerät konnte nicht verbunden werden. Setzen Sie es zurück und versuchen Sie es erneut.",
  },
  "bacnet.analogInput": {
    en: "Analog input",
    fi: "Analogiatulo",
    sv: "Analog ingång",
    de: "Analogeingang",
  },
  "bacnet.analogOutput": {
    en: "Analog output",
    fi: "Analogialähtö",
    sv: "Analog utgång",
    de: "Analogausgang",
  },
  "bacnet.analogValue": {
    en: "Analog value",
    fi: "Analogia-arvo",
    sv: "Analogt värde",
    de: "Analogwert",
  },
  "bacnet.binaryInput": {
    en: "Binary input",
    fi: "Binääritulo",
    sv: "Binär ingång",
    de: "Binäreingang",
  },
  "bacnet.binaryOutput": {
    en: "Binary output",
    fi: "Binäärilähtö",
    sv: "Binär utgång",
    de: "Binärausgang",
  },
  "bacnet.binaryValue": {
    en: "Binary value",
    fi: "Binääriarvo",
    sv: "Binärt värde",
    de: "Binärwert",
  },
  "bacnet.multiStateInput": {
    en: "Multi-state input",
    fi: "Monitilatulo",
    sv: "Flerlägesingång",
    de: "Mehrstufiger Eingang",
  },
  "bacnet.multiStateOutput": {
    en: "Multi-state output",
    fi: "Monitilalähtö",
    sv: "Flerlägesutgång",
    de: "Mehrstufiger Ausgang",
  },
  "bacnet.multiStateValue": {
    en: "Multi-state value",
    fi: "Monitila-arvo",
    sv: "Flerlägesvärde",
    de: "Mehrstufiger Wert",
  },
  "camera.0": {
    en: "The camera was found.",
    fi: "Kamera löytyi.",
    sv: "Kameran hittades.",
    de: "Die Kamera wurde gefunden.",
  },
  "camera.1": {
    en: "The camera is paired already.",
    fi: "Kamera on jo liitetty.",
    sv: "Kameran är redan ansluten.",
    de: "Die Kamera ist schon verbunden.",
  },
  "camera.10": {
    en: "The device answers, but it is not supported.",
    fi: "Laite vastaa, mutta sitä ei tueta.",
    sv: "Enheten svarar men stöds inte.",
    de: "Das Gerät antwortet, wird aber nicht unterstützt.",
  },
  "camera.11": {
    en: "The user name or password is wrong.",
    fi: "Käyttäjätunnus tai salasana on väärä.",
    sv: "Användarnamnet eller lösenordet är fel.",
    de: "Benutzername oder Passwort ist falsch.",
  },
  "camera.12": {
    en: "The device did not answer in time.",
    fi: "Laite ei vastannut ajoissa.",
    sv: "Enheten svarade inte i tid.",
    de: "Das Gerät hat nicht rechtzeitig geantwortet.",
  },
  "camera.13": {
    en: "The device refused the connection.",
    fi: "Laite hylkäsi yhteyden.",
    sv: "Enheten avvisade anslutningen.",
    de: "Das Gerät hat die Verbindung abgelehnt.",
  },
  "camera.14": {
    en: "Another camera answers at this address.",
    fi: "Tästä osoitteesta vastaa toinen kamera.",
    sv: "En annan kamera svarar på adressen.",
    de: "Unter dieser Adresse antwortet eine andere Kamera.",
  },
  "camera.99": {
    en: "The camera could not be looked for.",
    fi: "Kameraa ei voitu etsiä.",
    sv: "Det gick inte att söka efter kameran.",
    de: "Die Kamera konnte nicht gesucht werden.",
  },
  PAIRING_FAILED: {
    en: "{name} could not be paired",
    fi: "Laitetta {name} ei voitu liittää",
    sv: "{name} kunde inte anslutas",
    de: "{name} konnte nicht verbunden werden",
  },
  /** Text that users have written themselves. */
  MESSAGE: { en: "{text}", fi: "{text}", sv: "{text}", de: "{text}" },
  TARGET_TEST: {
    en: "A test from {name}: messages of this hub arrive here.",
    fi: "Testi keskittimeltä {name}: sen viestit tulevat perille tänne.",
    sv: "Ett test från {name}: hubbens meddelanden kommer fram hit.",
    de: "Ein Test von {name}: Nachrichten dieses Hubs kommen hier an.",
  },
  COMMAND_FAILED: {
    en: "{name} did not do what it was told",
    fi: "{name} ei totellut käskyä",
    sv: "{name} gjorde inte det som begärdes",
    de: "{name} hat einen Befehl nicht ausgeführt",
  },
  UPGRADE_FAILED: {
    en: "The firmware of {name} was not upgraded",
    fi: "Laitteen {name} laiteohjelmistoa ei päivitetty",
    sv: "Den fasta programvaran i {name} uppgraderades inte",
    de: "Die Firmware von {name} wurde nicht aktualisiert",
  },
  KEY_ISSUED: {
    en: "{name} was let in and has a key to this hub. If you do not know it, revoke the key.",
    fi: "{name} päästettiin sisään, ja sillä on avain tähän keskittimeen. Jos et tunnista sitä, peru avain.",
    sv: "{name} släpptes in och har en nyckel till den här hubben. Om du inte känner igen den, återkalla nyckeln.",
    de: "{name} wurde eingelassen und hat einen Schlüssel zu diesem Hub. Wenn Sie das Gerät nicht kennen, widerrufen Sie den Schlüssel.",
  },
  SCENE_INCOMPLETE: {
    en: "Scene {name}: a device did not follow",
    fi: "Tilanne {name}: laite ei totellut",
    sv: "Scen {name}: en enhet svarade inte",
    de: "Szene {name}: ein Gerät ist nicht gefolgt",
  },
} as const satisfies Readonly<Record<string, Texts>>;

export type TextId = keyof typeof texts;

const alarmPrefix = "alarm.";

/** Returns the id of an alarm's text in messages; its parameters are the alarm's facts. */
export function alarmTextId(kind: AlarmKind): string {
  return `${alarmPrefix}${kind}`;
}

/** Returns whether the hub has a text. */
export function isText(id: string): boolean {
  return isOwn(id) || alarmOf(id) !== undefined;
}

function isOwn(id: string): id is TextId {
  return Object.hasOwn(texts, id);
}

function alarmOf(id: string): AlarmKind | undefined {
  const kind = id.slice(alarmPrefix.length);
  return id.startsWith(alarmPrefix) && isAlarmKind(kind) ? kind : undefined;
}

/**
 * Returns a text in a language, or in English for a language that the hub does not know; returns the id
 * itself for a text of another release.
 */
export function textOf(
  id: string,
  language: string,
  parameters: Readonly<Record<string, string | number>> = {},
): string {
  const spoken = languages.find((known) => known === language) ?? "en";
  const alarm = alarmOf(id);
  if (alarm !== undefined) return alarmMessage(alarm, parameters, spoken);
  if (!isOwn(id)) return id;
  const text = texts[id][spoken];
  return filledIn(text, (name) => (Object.hasOwn(parameters, name) ? String(parameters[name]) : undefined));
}
