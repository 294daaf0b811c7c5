/** Control sequences of terminals (ECMA-48 5.4, 5.6), whole ones. */
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g

/** The end of a text that may be the beginning of a sequence. */
const begun = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?$/

/**
 * Reads what a console says as text: colours and movements of the cursor are left out.
 *
 * @param most characters that are kept of it
 * @returns takes the next piece, which may end anywhere, and gives the text so far
 */
export function plainText(most: number): (piece: string) => string {
  let text = ''
  let rest = ''
  return (piece) => {
    const whole = `${rest}${piece}`
    rest = begun.exec(whole)?.[0] ?? ''
    const said = whole
      .slice(0, whole.length - rest.length)
      .replace(sequences, '')
      .replace(/\r\n?/g, '\n')
    for (const each of said) {
      if (each === '\b') text = text.slice(0, -1)
      else if (each === '\n' || each >= ' ') text += each
    }
    text = text.slice(-most)
    return text
  }
}
