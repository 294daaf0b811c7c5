import { csv } from './csv.ts'

/** A line of a log. */
export interface Line {
  /** ISO 8601. */
  readonly time: string
  readonly severity: string
  readonly text: string
  readonly id: string
  /** The URI of what it is about; may be empty. */
  readonly origin: string
}

/** Whether a line is of a severity, if one is asked for, and has these words. */
export function isLogged({ severity, text, id, origin }: Line, wanted: string, words: string): boolean {
  const all = `${text} ${id} ${origin}`.toLowerCase()
  return (
    (wanted === '' || severity === wanted) &&
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => all.includes(word))
  )
}

/** Lines as comma-separated values. */
export function linesAs(lines: readonly Line[]): string {
  return csv(
    ['time', 'severity', 'message', 'id', 'origin'],
    lines.map(({ time, severity, text, id, origin }) => [time, severity, text, id, origin])
  )
}
