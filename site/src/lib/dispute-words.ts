/** The warning before a refund of orders whose payments are in dispute. */
export function disputeWords(disputed: number, orders: number): string {
  const whose = disputed === 1 ? "A buyer’s bank is" : "Buyers’ banks are";
  const what =
    orders === 1
      ? "The buyer’s bank is disputing this payment."
      : `${whose} disputing ${disputed} of these ${orders} payments.`;
  return `${what} The payment provider may refuse to refund ${disputed === 1 ? "it" : "them"}, and a lost dispute returns the money as well.`;
}
