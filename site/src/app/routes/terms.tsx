import { TermsScreen } from "#features/legal/terms-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/terms",
    title: "Terms of Sale",
    description: "Prices, refunds, transfers and the rules of the day at the Houston Culture Festival.",
  });

export default TermsScreen;
