/**
 * A number as carriers write it, "+17135550142": ten digits are one of the United States or Canada, any other has its country code.
 * Undefined when it cannot be one.
 */
export function internationalNumber(entered: string): string | undefined {
  const digits = entered.replaceAll(/[\s().\u2010-\u2015-]/g, "");
  const national = /^1?([2-9]\d{9})$/.exec(digits)?.[1];
  const number = national === undefined ? digits : `+1${national}`;
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : undefined;
}
