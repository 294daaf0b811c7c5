/** A text of JSON in a stream of events. */
export interface Sent {
  readonly text: string
  /** The number of its first line, from 1. */
  readonly line: number
}

/**
 * The texts of JSON in a stream of Server-Sent Events, whose data ends with an empty line (HTML Living Standard 9.2.6), or
 * in a file with a line for each.
 */
export function textsIn(stream: string): Sent[] {
  const texts: { text: string; line: number }[] = []
  let isData = false
  for (const [index, line] of stream.split(/\r?\n/).entries()) {
    const [, data] = /^data: ?(.*)$/.exec(line) ?? []
    if (data !== undefined && isData) texts.at(-1)!.text += `\n${data}`
    else if (data !== undefined || line.startsWith('{')) texts.push({ text: data ?? line, line: index + 1 })
    isData = data !== undefined || (isData && line !== '')
  }
  return texts
}
