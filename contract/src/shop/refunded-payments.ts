// Explains to the buyer why a payment bought nothing and is refunded in full. The keys are the reasons that confirm_order
// returns.

export const refundedPayments: Readonly<Record<string, string>> = {
  sold_out: "These tickets had sold out when the payment arrived.",
  too_many_tickets: "Your payment arrived late, and with your other tickets they exceed the limit per buyer.",
  promo_used_up: "Your payment arrived late, and the promo code had been used up.",
  amount_differs: "The amount you paid doesn't match this order.",
  order_cancelled: "This order was canceled before your payment arrived.",
  festival_cancelled: "The festival was canceled before your payment arrived.",
  currency_differs: "The payment was not in US dollars.",
};
