// A product that is sold together with tickets: parking, or what else there is.
import { CircleParking, CirclePlus, TriangleAlert } from "lucide-react";
import type { ShownPrice } from "contract/shop/shown-price";
import { Badge } from "#ui/basics/badge.tsx";
import { QuantityStepper } from "#ui/forms/quantity-stepper.tsx";
import { isChoosable, mostOf, type Offer, type Product } from "./model.ts";
import { OfferBadge, offerLine } from "./offer-words.tsx";
import { PriceTag } from "./price-tag.tsx";

interface ProductOptionProps {
  product: Product;
  price: ShownPrice;
  offer: Offer;
  quantity: number;
  /** The cart has a VIP ticket, which includes parking. */
  includedWithVip: boolean;
  /** No parking is left for VIP. */
  noneForVip: boolean;
  onQuantity: (quantity: number) => void;
}

export function ProductOption({
  product,
  price,
  offer,
  quantity,
  includedWithVip,
  noneForVip,
  onQuantity,
}: ProductOptionProps) {
  const line = offerLine(offer);
  const { product_kinds: kind } = product;
  const Icon = kind.is_vehicle ? CircleParking : CirclePlus;
  return (
    <article aria-label={product.name} className="border-2 border-ink bg-sheet p-5 sm:p-6">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        <Icon aria-hidden="true" className="size-12 shrink-0 text-bayou" strokeWidth={1.75} />
        <div className="min-w-48 flex-1">
          <h3 className="display text-heading wrap-anywhere">{product.name}</h3>
          <p className="mt-1 wrap-anywhere text-ink-soft">
            {product.description} You can buy{" "}
            {kind.one_per_order ? `one ${kind.label} per order` : kind.plural}, together with tickets.
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
              label={product.name}
              value={quantity}
              max={mostOf(product)}
              onChange={(next) => isChoosable(next, mostOf(product)) && onQuantity(next)}
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
