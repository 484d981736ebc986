import { FaqScreen } from "#features/festival/faq-screen.tsx";
import { festivalNow } from "#lib/festival/content.ts";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/faq",
    title: "Frequently Asked Questions",
    description: `Tickets, parking, hours, what to bring: answers about the ${festivalNow().title}.`,
  });

export default FaqScreen;
