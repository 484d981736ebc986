// The parts of passkit-generator that we use, only for Deno's check: the package's own types refer to Node's, which Deno does not
// find from there.
interface Field {
  key: string;
  label?: string;
  value: string;
}

export class PKPass {
  constructor(files: Record<string, Uint8Array>, keys: object, properties: object);
  type: "eventTicket" | undefined;
  readonly headerFields: Field[];
  readonly primaryFields: Field[];
  readonly secondaryFields: Field[];
  readonly auxiliaryFields: Field[];
  readonly backFields: Field[];
  setBarcodes(barcode: object): void;
  setRelevantDates(dates: object[]): void;
  setExpirationDate(date: Date): void;
  getAsBuffer(): Uint8Array;
}
