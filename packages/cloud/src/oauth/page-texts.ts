import type { Language } from "../model/languages.ts";
import type { OAuthScope } from "../model/oauth-scopes.ts";

/** The texts of the pages in one language. `{client}` and the like are filled in. */
export interface PageTexts {
  readonly logIn: string;
  readonly logInFor: string;
  readonly email: string;
  readonly sendPassword: string;
  readonly sent: string;
  readonly password: string;
  readonly otherAddress: string;
  readonly cancel: string;
  readonly noAddress: string;
  readonly wrongPassword: string;
  readonly tooMany: string;
  readonly notNow: string;
  readonly allow: string;
  readonly asks: string;
  readonly goesTo: string;
  readonly inTenant: string;
  readonly deny: string;
  readonly failed: string;
  readonly gone: string;
  readonly cannot: string;
  readonly scopes: Readonly<Record<OAuthScope, string>>;
}

const en: PageTexts = {
  logIn: "Log in",
  logInFor: "Log in to continue to {client}",
  email: "E-mail address",
  sendPassword: "Send me a one-time password",
  sent: "We have sent a one-time password to {email}. It is valid for 15 minutes.",
  password: "One-time password",
  otherAddress: "Use another address",
  cancel: "Cancel",
  noAddress: "This is not an e-mail address.",
  wrongPassword: "The password is wrong, or no longer valid.",
  tooMany: "There were too many attempts. Try again later.",
  notNow: "The mail could not be sent now. Try again later.",
  allow: "Allow",
  asks: "{client} asks you to let it",
  goesTo: "You are logged in as {email}. Your answer goes to {place}.",
  inTenant: "It sees the tenant {tenant}, and your homes as far as you allow it below.",
  deny: "Do not allow",
  failed: "This did not work",
  gone: "This page has expired, or its link is incomplete. Go back to the application and begin again.",
  cannot: "The application has sent a request that cannot be answered ({error}).",
  scopes: {
    openid: "know which account is yours",
    email: "read your e-mail address",
    offline_access: "go on while you are away, until you end it",
    "platform.read": "read what is in the tenant",
    "platform.write": "change what is in the tenant",
    "devices.read": "see your homes and their devices",
    "devices.control": "control devices in your homes",
    internal: "operate the platform",
  },
};

const fi: PageTexts = {
  logIn: "Kirjaudu sisään",
  logInFor: "Kirjaudu sisään, niin jatketaan sovellukseen {client}",
  email: "Sähköpostiosoite",
  sendPassword: "Lähetä minulle kertakäyttösalasana",
  sent: "Lähetimme kertakäyttösalasanan osoitteeseen {email}. Se on voimassa 15 minuuttia.",
  password: "Kertakäyttösalasana",
  otherAddress: "Käytä toista osoitetta",
  cancel: "Peruuta",
  noAddress: "Tämä ei ole sähköpostiosoite.",
  wrongPassword: "Salasana on väärä tai ei ole enää voimassa.",
  tooMany: "Yrityksiä oli liikaa. Yritä myöhemmin uudelleen.",
  notNow: "Viestiä ei voitu lähettää nyt. Yritä myöhemmin uudelleen.",
  allow: "Salli",
  asks: "{client} pyytää lupaa",
  goesTo: "Olet kirjautunut osoitteella {email}. Vastauksesi menee osoitteeseen {place}.",
  inTenant: "Se näkee vuokralaisen {tenant} ja kotisi siltä osin kuin sallit alla.",
  deny: "Älä salli",
  failed: "Tämä ei onnistunut",
  gone: "Sivu on vanhentunut tai linkki on vajaa. Palaa sovellukseen ja aloita alusta.",
  cannot: "Sovellus lähetti pyynnön, johon ei voi vastata ({error}).",
  scopes: {
    openid: "tietää, mikä tili on sinun",
    email: "lukea sähköpostiosoitteesi",
    offline_access: "jatkaa poissa ollessasi, kunnes lopetat sen",
    "platform.read": "lukea vuokralaisen tietoja",
    "platform.write": "muuttaa vuokralaisen tietoja",
    "devices.read": "nähdä kotisi ja niiden laitteet",
    "devices.control": "ohjata kotiesi laitteita",
    internal: "hallita alustaa",
  },
};

const sv: PageTexts = {
  logIn: "Logga in",
  logInFor: "Logga in för att fortsätta till {client}",
  email: "E-postadress",
  sendPassword: "Skicka ett engångslösenord till mig",
  sent: "Vi har skickat ett engångslösenord till {email}. Det gäller i 15 minuter.",
  password: "Engångslösenord",
  otherAddress: "Använd en annan adress",
  cancel: "Avbryt",
  noAddress: "Detta är ingen e-postadress.",
  wrongPassword: "Lösenordet är fel eller gäller inte längre.",
  tooMany: "Det blev för många försök. Försök igen senare.",
  notNow: "Meddelandet kunde inte skickas nu. Försök igen senare.",
  allow: "Tillåt",
  asks: "{client} ber om att få",
  goesTo: "Du är inloggad som {email}. Ditt svar går till {place}.",
  inTenant: "Den ser hyresgästen {tenant}, och dina hem så långt du tillåter nedan.",
  deny: "Tillåt inte",
  failed: "Det gick inte",
  gone: "Sidan har gått ut, eller så är länken ofullständig. Gå tillbaka till programmet och börja om.",
  cannot: "Programmet har skickat en begäran som inte kan besvaras ({error}).",
  scopes: {
    openid: "veta vilket konto som är ditt",
    email: "läsa din e-postadress",
    offline_access: "fortsätta när du är borta, tills du avslutar det",
    "platform.read": "läsa det som finns hos hyresgästen",
    "platform.write": "ändra det som finns hos hyresgästen",
    "devices.read": "se dina hem och deras enheter",
    "devices.control": "styra enheter i dina hem",
    internal: "driva plattformen",
  },
};

const de: PageTexts = {
  logIn: "Anmelden",
  logInFor: "Melden Sie sich an, um mit {client} fortzufahren",
  email: "E-Mail-Adresse",
  sendPassword: "Einmalpasswort zusenden",
  sent: "Wir haben ein Einmalpasswort an {email} gesendet. Es gilt 15 Minuten.",
  password: "Einmalpasswort",
  otherAddress: "Andere Adresse verwenden",
  cancel: "Abbrechen",
  noAddress: "Das ist keine E-Mail-Adresse.",
  wrongPassword: "Das Passwort ist falsch oder gilt nicht mehr.",
  tooMany: "Es gab zu viele Versuche. Versuchen Sie es später noch einmal.",
  notNow: "Die E-Mail konnte gerade nicht gesendet werden. Versuchen Sie es später noch einmal.",
  allow: "Erlauben",
  asks: "{client} bittet um die Erlaubnis,",
  goesTo: "Sie sind als {email} angemeldet. Ihre Antwort geht an {place}.",
  inTenant: "Die Anwendung sieht den Mandanten {tenant} und Ihre Häuser, soweit Sie es unten erlauben.",
  deny: "Nicht erlauben",
  failed: "Das hat nicht geklappt",
  gone: "Diese Seite ist abgelaufen, oder der Link ist unvollständig. Gehen Sie zurück zur Anwendung und beginnen Sie von vorn.",
  cannot: "Die Anwendung hat eine Anfrage gesendet, die sich nicht beantworten lässt ({error}).",
  scopes: {
    openid: "zu wissen, welches Konto Ihres ist",
    email: "Ihre E-Mail-Adresse zu lesen",
    offline_access: "weiterzuarbeiten, während Sie nicht da sind, bis Sie es beenden",
    "platform.read": "zu lesen, was im Mandanten steht",
    "platform.write": "zu ändern, was im Mandanten steht",
    "devices.read": "Ihre Häuser und deren Geräte zu sehen",
    "devices.control": "Geräte in Ihren Häusern zu steuern",
    internal: "die Plattform zu betreiben",
  },
};

/** The texts of the pages by language. */
export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, fi, sv, de };
