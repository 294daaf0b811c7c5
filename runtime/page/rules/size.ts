/** A number of bytes as people of a language write it and drives are labelled, in decimal units, such as 1.92 TB. */
export function sizeText(bytes: number, language: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return value.toLocaleString(language, { style: 'unit', unit: units[step]!, maximumSignificantDigits: 3 })
}
