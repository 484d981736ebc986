// What the printer produces: tickets, map and schedule, as wide as a letter page.
import { buyTwoTickets } from "./buyer.ts";
import type { Studio } from "./studio.ts";

const LETTER = { width: 720, height: 960 };

export async function shootPaper(studio: Studio): Promise<void> {
  const { page, width, shoot } = studio;
  // Paper has one width.
  if (width === 1440) {
    await buyTwoTickets(studio, async () => {});
    await page.setViewportSize(LETTER);
    await page.emulateMedia({ media: "print" });
    for (const [name, address] of [
      ["paper-map", "/map"],
      ["paper-schedule", "/schedule"],
      ["paper-tickets", "/my-tickets"],
    ] as const) {
      await page.goto(address);
      await shoot(name);
    }
  }
  await page.context().close();
}
