import type { cloud as english } from "../en/cloud.ts";
import type { Translated } from "../text.ts";

/** The texts of the ways in at the cloud, in German. */
export const cloud: Translated<typeof english> = {
  "cloud.how":
    "Hier erreichen Sie Ihre Hubs von überall. Die Cloud schickt Ihnen ein Passwort, das einmal gilt.",
  "cloud.email": "E-Mail-Adresse",
  "cloud.mail": "Passwort schicken",
  "cloud.mailed": "Wenn {email} ein Konto hat oder haben darf, ist ein Passwort unterwegs.",
  "cloud.password": "Passwort aus der Mail",
  "cloud.other": "Andere Adresse nehmen",
  "cloud.homes": "Ihre Häuser",
  "cloud.none": "Dieses Konto hat noch keinen Hub. Der Besitzer lädt Sie ein, oder Sie melden einen Hub an.",
  "cloud.reachable": "erreichbar",
  "cloud.invited": "{by} lädt Sie ein: {name}.",
  "cloud.accept": "{name} annehmen",
  "cloud.decline": "{name} ablehnen",
  "cloud.accepted": "{name} steht Ihnen offen",
  "cloud.declined": "{name} ist abgelehnt",
  "cloud.logOut": "Abmelden",
};
