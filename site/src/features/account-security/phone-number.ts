import { plainPhone } from "contract/people";

/**
 * A number in E.164 format, "+17135550142". Ten digits are a number of the United States or Canada; any other needs its country
 * code.
 * Undefined when it cannot be a number.
 */
export function internationalNumber(entered: string): string | undefined {
  const digits = plainPhone(entered).replaceAll(/[\s().\u2010-\u2015-]/g, "");
  const national = /^1?([2-9]\d{9})$/.exec(digits)?.[1];
  const number = national === undefined ? digits : `+1${national}`;
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : undefined;
}
