// How the festival calls itself in the mails about accounts, on the mailbox and where passkeys are kept.
import { TIME_ZONE } from "contract/festival/time-zone";
import type { Brand } from "../../server/src/platform/brand.ts";

export const BRAND: Brand = {
  name: "Houston Culture Festival",
  tagline: "That's So Houston",
  words: ["thats", "so", "houston", "culture", "festival", "htown", "ticket", "tickets"],
  timeZone: TIME_ZONE,
};
