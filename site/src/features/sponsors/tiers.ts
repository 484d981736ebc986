import type { sponsorshipLevels } from "contract/schemas";

interface Tier {
  level: (typeof sponsorshipLevels)[number];
  name: string;
  price: string;
  perks: readonly string[];
  ground: string;
}

export const sponsorshipTiers: readonly Tier[] = [
  {
    level: "silver",
    name: "Silver",
    price: "$2,500",
    perks: ["Logo on the website and the map", "10 festival tickets", "A thank-you from the stage"],
    ground: "bg-paper-deep text-ink",
  },
  {
    level: "gold",
    name: "Gold",
    price: "$5,000",
    perks: [
      "Everything in Silver",
      "A 10 by 20 booth",
      "20 festival tickets",
      "Your name on the cook-off or the bull",
    ],
    ground: "bg-brisket text-ink lg:pb-12",
  },
  {
    level: "platinum",
    name: "Platinum",
    price: "$10,000",
    perks: [
      "Everything in Gold",
      "Your name on a stage",
      "40 tickets and 10 VIP",
      "A place in every campaign",
      "First choice next year",
    ],
    ground: "bg-candy text-white lg:pb-20",
  },
  {
    level: "custom",
    name: "Custom Package",
    price: "Let's talk",
    perks: ["Something nobody has done yet", "Built around what you care about"],
    ground: "bg-slab text-paper",
  },
];
