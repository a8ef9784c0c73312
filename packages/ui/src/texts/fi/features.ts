import type { features as english } from "../en/features.ts";
import type { Translated } from "../text.ts";

/** The texts of features that the hub has or lacks, in Finnish. */
export const features: Translated<typeof english> = {
  "features.title": "Ominaisuudet",
  "features.how":
    "Mitä keskitin osaa lisäksi. Pois kytketty ei vie muistia, ja sen laitteet ja asetukset säilyvät, kunnes se taas kytketään.",
  "features.none": "Tällä keskittimellä ei ole kytkettäviä ominaisuuksia.",
  "features.noneHow": "Ne luetellaan sen profiilissa, ja aktivointikoodit lisäävät niitä.",
  "features.isOn": "{name} on nyt päällä",
  "features.isOff": "{name} on nyt pois päältä",
  "features.setUp": "Aseta: {name}",
  "features.off": "Tällä keskittimellä ei ole tätä ominaisuutta, tai se on pois päältä.",
  "feature.VIDEO_SERVICE": "Video",
  "featureHow.VIDEO_SERVICE": "Kodin kamerat siltä osin kuin keskitin ne tuntee.",
  "feature.CUSTOM_RULES": "Omat säännöt",
  "featureHow.CUSTOM_RULES": "Säännöt, jotka kirjoitat itse.",
  "feature.EVENTS": "Tapahtumat",
  "featureHow.EVENTS": "Mitä kodissa tapahtuu, ohjelmille ja pilvelle.",
  "feature.SMS_MESSAGING": "Tekstiviestit",
  "featureHow.SMS_MESSAGING":
    "Viestit tekstiviesteinä. Keskittimen ylläpitäjä nimeää yhdyskäytävän profiilissa.",
  "feature.PN_MESSAGING": "Viestit puhelimiin",
  "featureHow.PN_MESSAGING":
    "Viestit ja hälytykset itse valitsemasi palvelimen kautta: ntfy, Gotify tai Matrix.",
  "feature.SEND_EMAIL": "Sähköposti",
  "featureHow.SEND_EMAIL":
    "Sääntöjen viestit sähköpostina. Keskittimen ylläpitäjä nimeää postipalvelimen profiilissa.",
  "feature.VIEW_HISTORY": "Historia",
  "featureHow.VIEW_HISTORY": "Laitteiden kuvaajat sekä energia tunneittain ja päivittäin.",
  "feature.BACNET": "BACnet",
  "featureHow.BACNET": "Kiinteistöverkon laitteet.",
  "feature.BACNET_SERVER": "BACnet-palvelin",
  "featureHow.BACNET_SERVER": "Kodin laitteet kiinteistön ohjelmille.",
  "feature.BACNET_CLIENT": "BACnet-asiakas",
  "featureHow.BACNET_CLIENT": "Kiinteistöverkon laitteet, jotka keskitin löytää ja joita se käyttää.",
  "feature.MODBUS": "Modbus",
  "featureHow.MODBUS": "Releet, tulot, mittarit ja ilmastointilaitteet Modbus-linjoilla.",
  "feature.MODBUS_TCP_SERVER": "Modbus-palvelin",
  "featureHow.MODBUS_TCP_SERVER": "Kodin laitteet rekistereinä muille ohjelmille.",
  "feature.ZWAVE": "Z-Wave",
  "featureHow.ZWAVE": "Laitteet Z-Wave-tikun kautta.",
  "feature.MQTT": "MQTT",
  "featureHow.MQTT": "Koti välittäjällä, ja sieltä Zigbee2MQTT:n, Tasmotan ja ESPHomen laitteet.",
  "feature.MBUS": "M-Bus",
  "featureHow.MBUS": "Lämmön, veden ja sähkön mittarit M-Bus-linjoilla.",
  "feature.SPOT_PRICES": "Pörssihinnat",
  "featureHow.SPOT_PRICES": "Sähkön tuntihinnat säännöille ja kustannuksille.",
  "feature.FOUR33_HW2": "433 MHz",
  "featureHow.FOUR33_HW2": "Pistorasiat, kaukosäätimet ja anturit lyhyillä koodeilla.",
  "feature.BLE": "Bluetooth-anturit",
  "featureHow.BLE": "Anturit, jotka yhdyskäytävät välittävät MQTT-välittäjälle.",
};
