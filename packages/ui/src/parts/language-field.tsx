import type { JSX } from "preact";
import { chooseLanguage } from "../shell/language.ts";
import { isLanguage, languageNow, languages, t } from "../texts/texts.ts";

/** The language of the page. */
export function LanguageField(): JSX.Element {
  return (
    <label class="field">
      <span>{t("more.language")}</span>
      <select
        value={languageNow()}
        onChange={({ currentTarget: { value } }) => isLanguage(value) && void chooseLanguage(value)}
      >
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
