import type { sponsorshipLevels } from "contract/limits";

/** The name and the look of each level. The organizer edits its price and benefits. */
export const levelLooks: Record<(typeof sponsorshipLevels)[number], { name: string; ground: string }> = {
  silver: { name: "Silver", ground: "bg-paper-deep text-ink" },
  gold: { name: "Gold", ground: "bg-brisket text-ink lg:pb-12" },
  platinum: { name: "Platinum", ground: "bg-candy text-white lg:pb-20" },
  custom: { name: "Custom Package", ground: "bg-slab text-paper" },
};
