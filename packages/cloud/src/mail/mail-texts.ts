import type { Language } from "../model/languages.ts";

/** A mail: its subject and its paragraphs. `{time}` and the like are filled in. */
export interface MailText {
  readonly subject: string;
  readonly lines: readonly string[];
}

/** The mails of the cloud in one language. */
export interface MailTexts {
  readonly login: MailText;
  readonly invitation: MailText;
  readonly offer: MailText;
  readonly claimed: MailText;
  /** `{why}` is one of the two below. */
  readonly egressStopped: MailText;
  readonly egressGone: string;
  readonly egressFailing: string;
}

const en: MailTexts = {
  login: {
    subject: "Your password",
    lines: [
      "Log in with this password: {password}",
      "If it is refused because others have tried to guess it, use this one: {longPassword}",
      "You can use one of them, once, until {time}.",
      "If you did not ask for this mail, somebody else entered your address. You can ignore it.",
    ],
  },
  invitation: {
    subject: "Invitation to a hub",
    lines: [
      "{by} invites you to a hub called {hub}.",
      "To accept, follow this link before {time}, or log in with this address and accept there:",
      "{link}",
      "If you do not know this person, ignore this mail.",
    ],
  },
  offer: {
    subject: "A hub is offered to you",
    lines: [
      "{by} offers you a hub called {hub}. If you accept, you become its owner.",
      "To accept, follow this link before {time}:",
      "{link}",
      "If you do not know this person, ignore this mail.",
    ],
  },
  claimed: {
    subject: "A hub names you as its owner",
    lines: [
      "A hub was set up with this address as its owner, from the network address {from}.",
      "Log in with this address to use the hub. If it is not yours, leave it: your list of hubs shows which one it is.",
    ],
  },
  egressStopped: {
    subject: "Events of a site are not sent any more",
    lines: [
      "The cloud has disabled the egress target {target} of the site {site}. {why}",
      "It sent to the host {host}.",
      "The events wait for {days} days. To have them sent, repair the receiver and enable the target again.",
    ],
  },
  egressGone: "It answered that it is gone (410).",
  egressFailing: "It has accepted nothing for {hours} hours.",
};

const fi: MailTexts = {
  login: {
    subject: "Salasanasi",
    lines: [
      "Kirjaudu sisään tällä salasanalla: {password}",
      "Jos se ei kelpaa, koska muut ovat yrittäneet arvata sen, käytä tätä: {longPassword}",
      "Voit käyttää toista niistä kerran. Voimassa asti: {time}.",
      "Jos et pyytänyt tätä viestiä, joku muu antoi osoitteesi. Voit jättää viestin huomiotta.",
    ],
  },
  invitation: {
    subject: "Kutsu keskittimeen",
    lines: [
      "{by} kutsuu sinut keskittimeen, jonka nimi on {hub}.",
      "Hyväksy kutsu tällä linkillä ennen tätä hetkeä: {time}. Voit myös kirjautua sisään tällä osoitteella ja hyväksyä siellä:",
      "{link}",
      "Jos et tunne tätä henkilöä, jätä viesti huomiotta.",
    ],
  },
  offer: {
    subject: "Sinulle tarjotaan keskitintä",
    lines: [
      "{by} tarjoaa sinulle keskitintä, jonka nimi on {hub}. Jos hyväksyt, sinusta tulee sen omistaja.",
      "Hyväksy tarjous tällä linkillä ennen tätä hetkeä: {time}:",
      "{link}",
      "Jos et tunne tätä henkilöä, jätä viesti huomiotta.",
    ],
  },
  claimed: {
    subject: "Keskitin nimeää sinut omistajakseen",
    lines: [
      "Keskitin otettiin käyttöön niin, että sen omistaja on tämä osoite. Verkko-osoite oli {from}.",
      "Kirjaudu sisään tällä osoitteella, niin voit käyttää keskitintä. Jos se ei ole sinun, poistu siitä: keskittimiesi luettelo näyttää, mikä se on.",
    ],
  },
  egressStopped: {
    subject: "Kohteen tapahtumia ei enää lähetetä",
    lines: [
      "Pilvi on poistanut käytöstä kohteen {site} lähetyskohteen {target}. {why}",
      "Tapahtumat lähetettiin palvelimelle {host}.",
      "Tapahtumat odottavat {days} päivää. Jotta ne lähetetään, korjaa vastaanottaja ja ota lähetyskohde taas käyttöön.",
    ],
  },
  egressGone: "Se vastasi, ettei sitä enää ole (410).",
  egressFailing: "Se ei ole ottanut mitään vastaan {hours} tuntiin.",
};

const sv: MailTexts = {
  login: {
    subject: "Ditt lösenord",
    lines: [
      "Logga in med detta lösenord: {password}",
      "Om det inte godtas för att andra har försökt gissa det, använd detta: {longPassword}",
      "Du kan använda ett av dem, en gång, till {time}.",
      "Om du inte bad om detta meddelande har någon annan angett din adress. Du kan bortse från det.",
    ],
  },
  invitation: {
    subject: "Inbjudan till en hubb",
    lines: [
      "{by} bjuder in dig till en hubb som heter {hub}.",
      "Tacka ja med denna länk före {time}, eller logga in med denna adress och tacka ja där:",
      "{link}",
      "Om du inte känner personen kan du bortse från meddelandet.",
    ],
  },
  offer: {
    subject: "Du erbjuds en hubb",
    lines: [
      "{by} erbjuder dig en hubb som heter {hub}. Om du tackar ja blir du dess ägare.",
      "Tacka ja med denna länk före {time}:",
      "{link}",
      "Om du inte känner personen kan du bortse från meddelandet.",
    ],
  },
  claimed: {
    subject: "En hubb anger dig som ägare",
    lines: [
      "En hubb togs i bruk med denna adress som ägare, från nätverksadressen {from}.",
      "Logga in med denna adress för att använda hubben. Om den inte är din, lämna den: listan över dina hubbar visar vilken det är.",
    ],
  },
  egressStopped: {
    subject: "Händelser från en plats skickas inte längre",
    lines: [
      "Molnet har stängt av utmålet {target} för platsen {site}. {why}",
      "Det skickade till värden {host}.",
      "Händelserna väntar i {days} dagar. För att få dem skickade, laga mottagaren och sätt på målet igen.",
    ],
  },
  egressGone: "Det svarade att det inte finns kvar (410).",
  egressFailing: "Det har inte tagit emot något på {hours} timmar.",
};

const de: MailTexts = {
  login: {
    subject: "Ihr Passwort",
    lines: [
      "Melden Sie sich mit diesem Passwort an: {password}",
      "Wenn es abgelehnt wird, weil andere versucht haben, es zu erraten, verwenden Sie dieses: {longPassword}",
      "Sie können eines davon einmal verwenden, bis {time}.",
      "Wenn Sie diese E-Mail nicht angefordert haben, hat jemand anders Ihre Adresse eingegeben. Sie können sie ignorieren.",
    ],
  },
  invitation: {
    subject: "Einladung zu einem Hub",
    lines: [
      "{by} lädt Sie zu einem Hub mit dem Namen {hub} ein.",
      "Nehmen Sie vor {time} mit diesem Link an, oder melden Sie sich mit dieser Adresse an und nehmen Sie dort an:",
      "{link}",
      "Wenn Sie diese Person nicht kennen, ignorieren Sie diese E-Mail.",
    ],
  },
  offer: {
    subject: "Ihnen wird ein Hub angeboten",
    lines: [
      "{by} bietet Ihnen einen Hub mit dem Namen {hub} an. Wenn Sie annehmen, gehört er Ihnen.",
      "Nehmen Sie vor {time} mit diesem Link an:",
      "{link}",
      "Wenn Sie diese Person nicht kennen, ignorieren Sie diese E-Mail.",
    ],
  },
  claimed: {
    subject: "Ein Hub nennt Sie als Besitzer",
    lines: [
      "Ein Hub wurde mit dieser Adresse als Besitzer eingerichtet, von der Netzwerkadresse {from} aus.",
      "Melden Sie sich mit dieser Adresse an, um den Hub zu verwenden. Wenn er nicht Ihnen gehört, verlassen Sie ihn: Die Liste Ihrer Hubs zeigt, welcher es ist.",
    ],
  },
  egressStopped: {
    subject: "Ereignisse eines Standorts werden nicht mehr gesendet",
    lines: [
      "Die Cloud hat das Ausgangsziel {target} des Standorts {site} abgeschaltet. {why}",
      "Es sendete an den Host {host}.",
      "Die Ereignisse warten {days} Tage. Damit sie gesendet werden, reparieren Sie den Empfänger und schalten Sie das Ziel wieder ein.",
    ],
  },
  egressGone: "Es hat geantwortet, dass es nicht mehr da ist (410).",
  egressFailing: "Es hat seit {hours} Stunden nichts angenommen.",
};

/** The mails of the cloud by language. */
export const mailTexts: Readonly<Record<Language, MailTexts>> = { en, fi, sv, de };

/** Fills values into a text. */
export function filledText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
