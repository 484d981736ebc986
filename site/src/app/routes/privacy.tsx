import { PrivacyScreen } from "#features/legal/privacy-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/privacy",
    title: "Privacy",
    description: "What the Houston Culture Festival keeps about visitors and buyers, and why.",
  });

export default PrivacyScreen;
