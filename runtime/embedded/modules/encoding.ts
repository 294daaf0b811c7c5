import engine from 'minnow:engine'

/** `TextEncoder` of the WHATWG Encoding Standard, without `encodeInto`. */
export class TextEncoder {
  readonly encoding = 'utf-8'

  encode(text = ''): Uint8Array {
    return engine.encodeUtf8(text)
  }
}

/** `TextDecoder` of the WHATWG Encoding Standard, for UTF-8 and whole texts (no `stream`). */
export class TextDecoder {
  readonly encoding = 'utf-8'
  readonly fatal: boolean
  readonly ignoreBOM: boolean

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`The "${label}" encoding is not supported`)
    this.fatal = fatal
    this.ignoreBOM = ignoreBOM
  }

  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string {
    if (options?.stream) throw new TypeError('TextDecoder: stream is not supported')
    if (input === undefined) return ''
    const text = ArrayBuffer.isView(input)
      ? engine.decodeUtf8(input.buffer as ArrayBuffer, input.byteOffset, input.byteLength, this.fatal)
      : engine.decodeUtf8(input, 0, input.byteLength, this.fatal)
    return !this.ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}
