import { respondAs } from "./answers.ts";

/** Makes a page that asks the user to accept. */
export function acceptancePage(what: string): Response {
  return page(
    200,
    `<p>${what} counts once you accept it.</p><form method="post"><button>Accept</button></form>`,
  );
}

/**
 * Makes the page that shows the result.
 * @param problem why it was not accepted
 */
export function donePage(what: string, problem: string | undefined): Response {
  if (problem === undefined) return page(200, `<p>${what} is accepted.</p>`);
  return page(
    404,
    `<p>${what} could not be accepted: it has expired or was used already, or the link is incomplete.</p>`,
  );
}

/** @param body HTML without any text from outside */
function page(status: number, body: string): Response {
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ledge</title>';
  return respondAs("text/html; charset=UTF-8", `${head}<h1>Ledge</h1>${body}</html>`, status);
}
