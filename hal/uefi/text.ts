import { viewOf } from '#runtime/base/bytes.ts'

/** The UTF-16LE bytes of a text with the NUL at its end (CHAR16[], UEFI 2.10, 2.3.1). */
export function textBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2)
  const view = viewOf(bytes)
  for (let i = 0; i < text.length; i += 1) view.setUint16(2 * i, text.charCodeAt(i), true)
  return bytes
}

/** The text up to the first NUL; undefined if there is no NUL before `end`. */
export function readText(bytes: Uint8Array, offset: number, end: number): string | undefined {
  const view = viewOf(bytes)
  let text = ''
  for (let place = offset; place + 2 <= end; place += 2) {
    const unit = view.getUint16(place, true)
    if (unit === 0) return text
    text += String.fromCharCode(unit)
  }
  return undefined
}
