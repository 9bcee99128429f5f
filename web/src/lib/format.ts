/** Numbers and times as people read them. */

const NUMBER = new Intl.NumberFormat("en-GB");
const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export const count = (value: number): string => NUMBER.format(value);
export const counted = (value: number, singular: string, plural = `${singular}s`): string =>
  `${count(value)} ${value === 1 ? singular : plural}`;
export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;
export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? "–" : value.toFixed(digits);

/** A local time. The server sends UTC, with or without a time zone. */
export function when(time: string | null): string {
  if (!time) return "–";
  return TIME.format(new Date(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`));
}
