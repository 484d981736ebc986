// The gate in the sun and at night: every state people at the entrance see.
import { answer, choose, openGate, signInHere, typeCode } from "../support/gate-arrival.ts";
import type { Studio } from "./studio.ts";

export async function shootGate({ page, width, status, shoot }: Studio): Promise<void> {
  const gate = await openGate(status);
  for (const theme of ["bright", "dark"] as const) {
    const name = (state: string) => `gate-${state}-${theme}`;
    await page.emulateMedia({ colorScheme: theme === "dark" ? "dark" : "light" });
    const account = await gate.newGatekeeper();
    const [ticket, late] = await gate.sell(
      "general",
      "Ana Guest",
      "Bartholomew Featherstonehaugh-Cholmondeley",
    );
    const [vip] = await gate.sell("vip", "Vera Vip");
    const [permit] = await gate.sell("preferred", "Otto Mobile");
    // A phone nobody has used: it would remember its entrance.
    await page.goto("/gate");
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByRole("form", { name: "Sign in" }).waitFor();
    await shoot(name("sign-in"));
    await signInHere(page, account);
    await page.getByRole("heading", { name: "Your entrance" }).waitFor();
    await shoot(name("choose"));
    await choose(page, "main", `Phone ${width} ${theme}`);
    await shoot(name("scanner"));
    for (const [state, code] of [
      ["admit", ticket!.code],
      ["admit-vip", vip!.code],
      ["already-in", ticket!.code],
      ["forged", await gate.forge(ticket!)],
      ["wrong-entrance", permit!.code],
      ["old-code", await gate.sign({ ...late!, issue: 7 })],
    ] as const) {
      await page.evaluate(() => document.querySelector<HTMLElement>(".gate-result [data-main]")?.click());
      await answer(page).waitFor({ state: "hidden" });
      await typeCode(page, code);
      await answer(page).waitFor();
      await shoot(name(state));
    }
    await answer(page).getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByLabel(/^Name, email, order/).fill("guest");
    await page.getByRole("listitem").first().waitFor();
    await shoot(name("search"));
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Menu" }).click();
    await shoot(name("menu"));
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.context().setOffline(true);
    await typeCode(page, late!.code);
    await answer(page).waitFor();
    await shoot(name("offline-admit"));
    await answer(page).getByRole("button", { name: "Undo" }).click();
    await shoot(name("undo"));
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await answer(page).getByRole("button", { name: "Next" }).click();
    await shoot(name("offline"));
    await page.context().setOffline(false);
    await page.getByText("to sync").waitFor({ state: "hidden" });
    await gate.service.from("user_roles").delete().eq("user_id", account.id);
    await page.getByRole("heading", { name: "Access removed" }).waitFor();
    await shoot(name("removed"));
    await page.getByRole("button", { name: "Sign in as somebody else" }).click();
    await page.getByRole("form", { name: "Sign in" }).waitFor();
  }
  await page.context().close();
}
