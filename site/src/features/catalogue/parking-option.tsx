import { CircleParking, TriangleAlert } from "lucide-react";
import type { ShownPrice } from "contract/shop/shown-price";
import { Badge } from "#ui/basics/badge.tsx";
import { QuantityStepper } from "#ui/forms/quantity-stepper.tsx";
import { isChoosable, PARKING_LIMIT, type Offer, type ParkingPass } from "./model.ts";
import { OfferBadge, offerLine } from "./offer-words.tsx";
import { PriceTag } from "./price-tag.tsx";

interface ParkingOptionProps {
  pass: ParkingPass;
  price: ShownPrice;
  offer: Offer;
  quantity: number;
  /** The cart has a VIP ticket, which includes parking. */
  includedWithVip: boolean;
  /** No parking is left for VIP. */
  noneForVip: boolean;
  onQuantity: (quantity: number) => void;
}

export function ParkingOption({
  pass,
  price,
  offer,
  quantity,
  includedWithVip,
  noneForVip,
  onQuantity,
}: ParkingOptionProps) {
  const line = offerLine(offer);
  return (
    <article aria-label={pass.type_name} className="border-2 border-ink bg-sheet p-5 sm:p-6">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        <CircleParking aria-hidden="true" className="size-12 shrink-0 text-bayou" strokeWidth={1.75} />
        <div className="min-w-48 flex-1">
          <h3 className="display text-heading wrap-anywhere">{pass.type_name}</h3>
          <p className="mt-1 wrap-anywhere text-ink-soft">
            {pass.description} You can buy one parking pass per order, together with tickets.
          </p>
          {line && !includedWithVip && <p className="mt-2 font-semibold">{line}</p>}
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4 max-sm:w-full">
          <PriceTag price={price} />
          {includedWithVip ? (
            <Badge tone="highlight">Included with VIP</Badge>
          ) : offer.kind !== "open" ? (
            <OfferBadge offer={offer} />
          ) : (
            <QuantityStepper
              label={pass.type_name}
              value={quantity}
              max={Math.min(PARKING_LIMIT, pass.current_inventory)}
              onChange={(next) =>
                isChoosable(next, Math.min(PARKING_LIMIT, pass.current_inventory)) && onQuantity(next)
              }
            />
          )}
        </div>
      </div>
      {includedWithVip && (
        <p role="status" className="mt-5 flex items-start gap-3 bg-brisket p-3.5 font-semibold">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0" strokeWidth={2.5} />
          {noneForVip
            ? "VIP tickets include parking, and general parking is sold out. Unless your tickets are already held, you can place the order once parking is available again."
            : "VIP tickets include parking. One general parking pass comes with your order at no extra cost."}
        </p>
      )}
    </article>
  );
}
