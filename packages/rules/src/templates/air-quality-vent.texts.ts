import type { Template } from "../catalogue/template.ts";

/** What people read of `AIR_QUALITY_VENT`. */
export const airQualityVentTexts: Template["texts"] = {
  en: {
    name: "Ventilation by air quality",
    summary: "Ventilates as strongly as the air is bad",
    description:
      "The worst of all measured values counts. The fans run at low speed from its lower limit on, and at high speed from its upper limit on. They slow down only when every value has been below its lower limit for ten minutes. In quiet hours they run at low speed at most. A ventilation unit runs at its minimum in good air; other fans stop.",
    fields: {
      air: ["Air sensors", "Carbon dioxide, organic vapours, nitrogen oxides or fine dust; the worst counts"],
      fan: ["Fans", "What ventilates"],
      co2Low: ["CO2, low speed", "In ppm"],
      co2High: ["CO2, high speed", "In ppm"],
      vocLow: ["Organic vapours, low speed", "In ppm"],
      vocHigh: ["Organic vapours, high speed", "In ppm"],
      voxLow: ["VOC index, low speed", "1 to 500"],
      voxHigh: ["VOC index, high speed", "1 to 500"],
      noxLow: ["NOx index, low speed", "1 to 500"],
      noxHigh: ["NOx index, high speed", "1 to 500"],
      pm25Low: ["Fine dust, low speed", "PM2.5 in µg/m³"],
      pm25High: ["Fine dust, high speed", "PM2.5 in µg/m³"],
      quiet: ["Quiet hours", "When the fans run at low speed at most"],
    },
  },
  fi: {
    name: "Ilmanvaihto ilmanlaadun mukaan",
    summary: "Tuulettaa sitä enemmän, mitä huonompaa ilma on",
    description:
      "Kaikesta, mitä anturit mittaavat, huonoin ratkaisee. Alarajastaan alkaen tuulettimet käyvät hitaasti, ylärajastaan alkaen nopeasti. Ne hidastuvat vasta, kun kaikki on ollut alarajansa alapuolella kymmenen minuuttia. Hiljaisina aikoina ne käyvät enintään hitaasti. Ilmanvaihtokone käy hyvässä ilmassa minimillä; muut tuulettimet pysähtyvät.",
    fields: {
      air: [
        "Ilma-anturit",
        "Hiilidioksidi, orgaaniset yhdisteet, typen oksidit tai pienhiukkaset; huonoin ratkaisee",
      ],
      fan: ["Tuulettimet", "Mikä tuulettaa"],
      co2Low: ["CO2, hidas", "ppm"],
      co2High: ["CO2, nopea", "ppm"],
      vocLow: ["Orgaaniset yhdisteet, hidas", "ppm"],
      vocHigh: ["Orgaaniset yhdisteet, nopea", "ppm"],
      voxLow: ["VOC-indeksi, hidas", "1–500"],
      voxHigh: ["VOC-indeksi, nopea", "1–500"],
      noxLow: ["NOx-indeksi, hidas", "1–500"],
      noxHigh: ["NOx-indeksi, nopea", "1–500"],
      pm25Low: ["Pienhiukkaset, hidas", "PM2.5, µg/m³"],
      pm25High: ["Pienhiukkaset, nopea", "PM2.5, µg/m³"],
      quiet: ["Hiljaiset ajat", "Milloin tuulettimet käyvät enintään hitaasti"],
    },
  },
  sv: {
    name: "Ventilation efter luftkvalitet",
    summary: "Ventilerar mer ju sämre luften är",
    description:
      "Av allt som sensorerna mäter gäller det sämsta. Från den undre gränsen går fläktarna på låg fart, från den övre på hög. De saktar in först när allt har legat under sin undre gräns i tio minuter. Under tysta tider går de högst på låg fart. Ett ventilationsaggregat går på minimum i god luft; andra fläktar stannar.",
    fields: {
      air: ["Luftsensorer", "Koldioxid, organiska ämnen, kväveoxider eller fint damm; det sämsta gäller"],
      fan: ["Fläktar", "Det som ventilerar"],
      co2Low: ["CO2, låg fart", "I ppm"],
      co2High: ["CO2, hög fart", "I ppm"],
      vocLow: ["Organiska ämnen, låg fart", "I ppm"],
      vocHigh: ["Organiska ämnen, hög fart", "I ppm"],
      voxLow: ["VOC-index, låg fart", "1 till 500"],
      voxHigh: ["VOC-index, hög fart", "1 till 500"],
      noxLow: ["NOx-index, låg fart", "1 till 500"],
      noxHigh: ["NOx-index, hög fart", "1 till 500"],
      pm25Low: ["Fint damm, låg fart", "PM2.5 i µg/m³"],
      pm25High: ["Fint damm, hög fart", "PM2.5 i µg/m³"],
      quiet: ["Tysta tider", "När fläktarna går högst på låg fart"],
    },
  },
  de: {
    name: "Lüftung nach Luftqualität",
    summary: "Lüftet so stark, wie die Luft schlecht ist",
    description:
      "Von allem, was die Sensoren messen, zählt das Schlechteste. Ab seiner unteren Grenze laufen die Lüfter langsam, ab seiner oberen schnell. Langsamer werden sie erst, wenn alles zehn Minuten lang unter seiner unteren Grenze war. In Ruhezeiten laufen sie höchstens langsam. Ein Lüftungsgerät läuft bei guter Luft auf kleinster Stufe; andere Lüfter stehen still.",
    fields: {
      air: [
        "Luftsensoren",
        "Kohlendioxid, organische Stoffe, Stickoxide oder Feinstaub; das Schlechteste zählt",
      ],
      fan: ["Lüfter", "Was lüftet"],
      co2Low: ["CO2, langsam", "In ppm"],
      co2High: ["CO2, schnell", "In ppm"],
      vocLow: ["Organische Stoffe, langsam", "In ppm"],
      vocHigh: ["Organische Stoffe, schnell", "In ppm"],
      voxLow: ["VOC-Index, langsam", "1 bis 500"],
      voxHigh: ["VOC-Index, schnell", "1 bis 500"],
      noxLow: ["NOx-Index, langsam", "1 bis 500"],
      noxHigh: ["NOx-Index, schnell", "1 bis 500"],
      pm25Low: ["Feinstaub, langsam", "PM2.5 in µg/m³"],
      pm25High: ["Feinstaub, schnell", "PM2.5 in µg/m³"],
      quiet: ["Ruhezeiten", "Wann die Lüfter höchstens langsam laufen"],
    },
  },
};
