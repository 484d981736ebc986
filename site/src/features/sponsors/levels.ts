import type { sponsorshipLevels } from "contract/schemas";

/** How each level is called and printed; what it costs and gives is the organiser's to edit. */
export const levelLooks: Record<(typeof sponsorshipLevels)[number], { name: string; ground: string }> = {
  silver: { name: "Silver", ground: "bg-paper-deep text-ink" },
  gold: { name: "Gold", ground: "bg-brisket text-ink lg:pb-12" },
  platinum: { name: "Platinum", ground: "bg-candy text-white lg:pb-20" },
  custom: { name: "Custom Package", ground: "bg-slab text-paper" },
};
