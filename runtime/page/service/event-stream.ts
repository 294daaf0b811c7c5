/** One event of a stream of Server-Sent Events (HTML Living Standard 9.2). */
export interface ServerSentEvent {
  /** The id to ask for more after; what the stream named last. */
  readonly id: string
  readonly data: string
}

/**
 * Reads a stream of Server-Sent Events, piece by piece.
 *
 * @param found called with each complete event
 * @returns takes the next piece of text, which may end anywhere
 */
export function eventReader(found: (event: ServerSentEvent) => void): (text: string) => void {
  let rest = ''
  let id = ''
  let data: string[] = []
  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) found({ id, data: data.join('\n') })
      data = []
      return
    }
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(text) ?? []
    if (name === 'data') data.push(value)
    if (name === 'id') id = value
  }
  return (text) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) line(each.endsWith('\r') ? each.slice(0, -1) : each)
  }
}
