/**
 * Rows as comma-separated values (RFC 4180). A spreadsheet takes no text of them for a formula.
 *
 * @param head the names of the columns
 */
export function csv(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null) =>
    typeof value === 'string' ? `"${value.replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"` : (value ?? '')
  return [head.join(','), ...rows.map((row) => row.map(cell).join(',')), ''].join('\r\n')
}
