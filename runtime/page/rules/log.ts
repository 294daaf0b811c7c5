/** A line of a log: an entry, an event, or a task. */
export interface Line {
  /** Unique among the lines. */
  readonly key: string
  /** ISO 8601. */
  readonly time: string
  readonly severity: string
  readonly text: string
  /** The URI of what it is about; may be empty. */
  readonly origin: string
  /** The name of its log. */
  readonly log: string
  /** Whether its cause is gone; absent where that is not known. */
  readonly resolved?: boolean | undefined
}

/** How far a range of times reaches back, in milliseconds. */
export const ranges = { Hour: 3_600_000, Day: 86_400_000, Week: 604_800_000 } as const

/** A filter of lines; an empty text accepts all. */
export interface Wanted {
  readonly severity: string
  /** One of `ranges`. */
  readonly range: string
  /** `open`: without lines whose cause is gone. */
  readonly state: string
}

/** Whether a line is wanted. @param now the time that ranges end at, in milliseconds */
export function isWanted(line: Line, { severity, range, state }: Wanted, now: number): boolean {
  const length: number | undefined = ranges[range as keyof typeof ranges]
  return (
    (severity === '' || line.severity === severity) &&
    (length === undefined || Date.parse(line.time) >= now - length) &&
    (state !== 'open' || line.resolved !== true)
  )
}

/** Lines of several logs together, the newest first. */
export function newestFirst(lines: readonly Line[]): readonly Line[] {
  return [...lines].sort((a, b) => Date.parse(b.time) - Date.parse(a.time))
}
