/** Alarms about the certificate of a hub. `{detail}` is the end of its validity. */
export const certificateAlarmKinds = {
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
