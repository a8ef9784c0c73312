/** Alarms about certificates: of the hub, where `{detail}` is the end of its validity, and of devices. */
export const certificateAlarmKinds = {
  DEVICE_CERTIFICATE: {
    level: "err",
    title: {
      en: "A device shows another certificate",
      fi: "Laitteen varmenne on vaihtunut",
      sv: "En enhet visar ett annat certifikat",
      de: "Ein Gerät zeigt ein anderes Zertifikat",
    },
    message: {
      en: "{name} shows another certificate than when it was paired, so the hub no longer talks to it. If it was reset or replaced, pair it again at its address. If not, something else may answer in its place.",
      fi: "{name} näyttää eri varmennetta kuin pariliitettäessä, joten keskitin ei enää viesti sen kanssa. Jos se on palautettu tehdasasetuksiin tai vaihdettu, pariliitä se uudelleen osoitteessaan. Muussa tapauksessa jokin muu voi vastata sen paikalla.",
      sv: "{name} visar ett annat certifikat än när enheten parades, så hubben talar inte längre med den. Om den har återställts eller bytts ut, para den igen på dess adress. Annars kan något annat svara i dess ställe.",
      de: "{name} zeigt ein anderes Zertifikat als beim Koppeln, daher spricht der Hub nicht mehr mit dem Gerät. Wurde es zurückgesetzt oder ersetzt, koppeln Sie es unter seiner Adresse neu. Sonst antwortet vielleicht etwas anderes an seiner Stelle.",
    },
  },
  CERTIFICATE_EXPIRING: {
    level: "warn",
    title: {
      en: "The hub's certificate expires soon",
      fi: "Keskittimen varmenne vanhenee pian",
      sv: "Hubbens certifikat går snart ut",
      de: "Das Zertifikat des Hubs läuft bald ab",
    },
    message: {
      en: "The certificate of {name} is valid until {detail}. Renew it before then, or apps will refuse the hub. The alarm closes when the hub has a newer one.",
      fi: "Varmenne, jolla {name} tunnistautuu, on voimassa {detail} asti. Uusi se sitä ennen, tai sovellukset torjuvat keskittimen. Hälytys sulkeutuu, kun keskittimellä on uudempi varmenne.",
      sv: "Certifikatet som {name} visar gäller till {detail}. Förnya det dessförinnan, annars avvisar appar hubben. Larmet stängs när hubben har ett nyare.",
      de: "Das Zertifikat, mit dem sich {name} ausweist, gilt bis {detail}. Erneuern Sie es vorher, sonst lehnen Apps den Hub ab. Der Alarm schließt sich, wenn der Hub ein neueres hat.",
    },
  },
  CERTIFICATE_EXPIRED: {
    level: "err",
    title: {
      en: "The hub's certificate has expired",
      fi: "Keskittimen varmenne on vanhentunut",
      sv: "Hubbens certifikat har gått ut",
      de: "Das Zertifikat des Hubs ist abgelaufen",
    },
    message: {
      en: "The certificate of {name} was valid until {detail}. Apps refuse the hub until it is renewed. The alarm closes when the hub has a newer one.",
      fi: "Varmenne, jolla {name} tunnistautuu, oli voimassa {detail} asti. Sovellukset torjuvat keskittimen, kunnes varmenne uusitaan. Hälytys sulkeutuu, kun keskittimellä on uudempi varmenne.",
      sv: "Certifikatet som {name} visar gällde till {detail}. Appar avvisar hubben tills det förnyas. Larmet stängs när hubben har ett nyare.",
      de: "Das Zertifikat, mit dem sich {name} ausweist, galt bis {detail}. Apps lehnen den Hub ab, bis es erneuert ist. Der Alarm schließt sich, wenn der Hub ein neueres hat.",
    },
  },
} as const;
