import { language } from "../api/call.ts";
import { keep, kept, languages as read } from "../browser.ts";
import { bestOf, isLanguage, type Language, speak } from "../texts/texts.ts";

/** Shows the page in the language that was chosen last, or the best that the browser's user reads. */
export async function openLanguage(): Promise<void> {
  const chosen = await kept("language");
  await show(isLanguage(chosen) ? chosen : bestOf(read()));
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  await show(chosen);
  await keep("language", chosen);
}

async function show(chosen: Language): Promise<void> {
  language.value = chosen;
  await speak(chosen);
  document.documentElement.lang = chosen;
}
