import type { panel as english } from "../en/panel.ts";
import type { Translated } from "../text.ts";

/** The texts of the panel on a wall, in Finnish. */
export const panel: Translated<typeof english> = {
  "panel.title": "Seinäpaneeli",
  "panel.how":
    "Paneeli täyttää näytön yhdellä huoneella tai koko kodilla. Se himmenee, kun siihen ei kosketa minuuttiin, ja herää hälytykseen. Selain pysyy paneelina myös uudelleen avattuna, kunnes joku poistuu siitä.",
  "panel.shows": "Mitä se näyttää",
  "panel.whole": "Koko koti",
  "panel.pin": "PIN poistumiseen, jos haluat sellaisen",
  "panel.pinHow": "4–8 numeroa. Se pitää ohikulkijat poissa muista näkymistä.",
  "panel.badPin": "PINissä on 4–8 numeroa.",
  "panel.guest":
    "Tämä selain on sisällä omalla avaimellasi. Päästä seinätabletti sisään seinäpaneelina kohdassa Ihmiset: silloin sen avain ei avaa enempää kuin vieras saa.",
  "panel.start": "Näytä paneeli",
  "panel.gone": "Tätä huonetta ei enää ole.",
  "panel.goneHow": "Poistu paneelista ja valitse toinen huone.",
  "panel.empty": "Täällä ei ole mitään.",
  "panel.emptyHow": "Tähän huoneeseen asetetut laitteet ilmestyvät tähän itsestään.",
  "panel.leave": "Poistu paneelista",
  "panel.pinField": "PIN",
  "panel.wrongPin": "Tämä ei ole oikea PIN.",
  "panel.pause": "Liian monta väärää. Yritä uudelleen {s} s kuluttua.",
  "panel.forgotten":
    "Eikö kukaan tiedä PINiä? Sulje tämä laite pois kohdassa Ihmiset toisella selaimella ja päästä se uudelleen sisään.",
  "panel.rests": "Paneeli lepää",
  "panel.wake": "Jatka koskettamalla",
};
