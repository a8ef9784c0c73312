import type { cloud as english } from "../en/cloud.ts";
import type { Translated } from "../text.ts";

/** The texts of the ways in at the cloud, in Swedish. */
export const cloud: Translated<typeof english> = {
  "cloud.how": "Här svarar dina hubbar var du än är. Molnet skickar ett lösenord som gäller en gång.",
  "cloud.email": "E-postadress",
  "cloud.mail": "Skicka ett lösenord",
  "cloud.mailed": "Om {email} har ett konto, eller får ha ett, är ett lösenord på väg.",
  "cloud.password": "Lösenord från brevet",
  "cloud.other": "Använd en annan adress",
  "cloud.homes": "Dina hem",
  "cloud.none": "Kontot har ingen hubb än. Ägaren bjuder in dig, eller så tar du en hubb i bruk.",
  "cloud.reachable": "går att nå",
  "cloud.invited": "{by} bjuder in dig till {name}.",
  "cloud.accept": "Tacka ja till {name}",
  "cloud.decline": "Tacka nej till {name}",
  "cloud.accepted": "{name} är öppet för dig",
  "cloud.declined": "{name} är avböjt",
  "cloud.logOut": "Logga ut",
};
