import type { cloud as english } from "../en/cloud.ts";
import type { Translated } from "../text.ts";

/** The texts of the ways in at the cloud, in Finnish. */
export const cloud: Translated<typeof english> = {
  "cloud.how": "Täältä hubisi vastaavat mistä tahansa. Pilvi lähettää sinulle salasanan, joka toimii kerran.",
  "cloud.email": "Sähköpostiosoite",
  "cloud.mail": "Lähetä salasana",
  "cloud.mailed": "Jos osoitteella {email} on tili tai se voi saada sellaisen, salasana on matkalla.",
  "cloud.password": "Salasana sähköpostista",
  "cloud.other": "Käytä toista osoitetta",
  "cloud.homes": "Kotisi",
  "cloud.none": "Tällä tilillä ei ole vielä hubia. Omistaja kutsuu sinut, tai otat hubin käyttöön.",
  "cloud.reachable": "tavoitettavissa",
  "cloud.invited": "{by} kutsuu sinut kotiin {name}.",
  "cloud.accept": "Hyväksy {name}",
  "cloud.decline": "Hylkää {name}",
  "cloud.accepted": "{name} on sinulle avoinna",
  "cloud.declined": "{name} on hylätty",
  "cloud.logOut": "Kirjaudu ulos",
};
