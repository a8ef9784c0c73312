import type { JSX } from "preact";
import { t } from "../../texts/texts.ts";
import { mayOf, rights } from "./rights.ts";

/** What each role may, as a table. */
export function RightsTable(): JSX.Element {
  return (
    <details>
      <summary>{t("right.title")}</summary>
      <table class="rights">
        <thead>
          <tr>
            <th scope="col">{t("right.what")}</th>
            <th scope="col">{t("right.who")}</th>
          </tr>
        </thead>
        <tbody>
          {rights.map((right) => (
            <tr key={right.text}>
              <th scope="row">{t(right.text)}</th>
              <td>
                {mayOf(right)
                  .map((role) => t(`roleName.${role}`))
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
