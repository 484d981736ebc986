// What people ask, in four groups (PRODUCT 4.4).
import { festival } from "contract/festival";
import type { AccordionItem } from "#ui/page/accordion.tsx";

interface FaqGroup {
  title: string;
  questions: readonly AccordionItem[];
}

export const faqGroups: readonly FaqGroup[] = [
  {
    title: "General Information",
    questions: [
      {
        id: "when",
        title: "When and where is the festival?",
        content: `The ${festival.title} takes place on ${festival.dateText}, ${festival.hoursText}, on the Festival Grounds in Houston, Texas.`,
      },
      {
        id: "children",
        title: "Can I bring my children?",
        content: "Yes, it is a day for the whole family. Children under 10 are free with a ticketed adult.",
      },
      {
        id: "weather",
        title: "What happens if it rains?",
        content: "The festival takes place rain or shine. Bring a poncho; umbrellas stay at the gate.",
      },
    ],
  },
  {
    title: "Tickets",
    questions: [
      {
        id: "refunds",
        title: "Are tickets refundable?",
        content: "Tickets are non-refundable, but they are transferable up to 14 days before the festival.",
      },
      {
        id: "receive",
        title: "How do I get my tickets?",
        content:
          "As QR codes: in your account under My Tickets, and by email after your payment. Show one code for each person at the gate.",
      },
      {
        id: "vip",
        title: "What does a VIP ticket include?",
        content: "The VIP deck, fast lane entry, and one general parking pass for each order.",
      },
    ],
  },
  {
    title: "Festival Experience",
    questions: [
      {
        id: "food",
        title: "When can I eat?",
        content:
          "The Food Court is open from 11am to 10pm, with barbecue, tacos, crawfish, kolaches and plenty without meat.",
      },
      {
        id: "alcohol",
        title: "Is alcohol served?",
        content: "Yes, only to guests aged 21 and over with valid ID.",
      },
      {
        id: "bring",
        title: "What may I bring?",
        content:
          "A small bag, an empty water bottle, sunscreen and your boots. Large backpacks are not permitted.",
      },
    ],
  },
  {
    title: "Parking & Transportation",
    questions: [
      {
        id: "parking",
        title: "Is there parking?",
        content:
          "Yes. Add a general parking pass to your order, one per order. Parking is included with VIP tickets.",
      },
      {
        id: "transit",
        title: "Can I come by bus or train?",
        content: "Please do: the grounds are a short walk from METRORail and several bus lines run late.",
      },
      {
        id: "ride",
        title: "Where do ride shares stop?",
        content: "At the drop-off lane beside the Main Entrance. It is signed from the street.",
      },
    ],
  },
];
