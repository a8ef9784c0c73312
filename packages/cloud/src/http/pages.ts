import { respondAs } from "./answers.ts";

/** A page that asks before anything is accepted. */
export function acceptancePage(what: string): Response {
  return page(
    200,
    `<p>${what} counts once you accept it.</p><form method="post"><button>Accept</button></form>`,
  );
}

/** @param problem why it was not accepted */
export function donePage(what: string, problem: string | undefined): Response {
  if (problem === undefined) return page(200, `<p>${what} is accepted.</p>`);
  return page(404, `<p>${what} could not be accepted: it is over, or the link is not whole.</p>`);
}

/** @param body HTML, nothing from outside in it */
function page(status: number, body: string): Response {
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ledge</title>';
  return respondAs("text/html; charset=UTF-8", `${head}<h1>Ledge</h1>${body}</html>`, status);
}
