import t from 'tap'
import { MultipartFault, MultipartReader } from '#runtime/service/updates/multipart.ts'

const boundary = '--------x1'
const type = `multipart/form-data; boundary=${boundary}`
const latin1 = (text: string) => Buffer.from(text, 'latin1')

const part = (name: string, content: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`
const end = `--${boundary}--\r\n`

/** The parts of a body that comes in pieces. */
function read(body: string, piece: number, contentType = type): [name: string, content: string][] {
  const parts: [string, string][] = []
  let open = false
  const reader = new MultipartReader(contentType, {
    begin(name) {
      if (open) throw new Error('a part is still open')
      open = true
      parts.push([name, ''])
    },
    add(bytes) {
      parts.at(-1)![1] += Buffer.from(bytes).toString('latin1')
    },
    end() {
      open = false
    }
  })
  const bytes = latin1(body)
  for (let at = 0; at < bytes.length; at += piece) reader.add(bytes.subarray(at, at + piece))
  reader.end()
  return parts
}

/** Whether a body is refused for its form. */
function isRefused(...args: Parameters<typeof read>): boolean {
  try {
    read(...args)
    return false
  } catch (error) {
    return error instanceof MultipartFault
  }
}

const tricky = `\r\r\n\r\n--${boundary.slice(0, -1)}\r\n--\r\n\rx--${boundary}${'\r'.repeat(9)}\0\xff`
const body = `${part('UpdateParameters', '{}')}${part('UpdateFile', tricky, '; filename="a;name=b"\r\nContent-Type: application/octet-stream')}${end}`
const wanted = [
  ['UpdateParameters', '{}'],
  ['UpdateFile', tricky]
]

t.test('the parts of a body are the same for pieces of any length', async (t) => {
  for (let piece = 1; piece <= 90; piece += 1) t.same(read(body, piece), wanted, `${piece}`)
  t.same(read(body, body.length), wanted)
})

t.test('bytes before the first boundary and after the last one are ignored', async (t) => {
  const padded = `This is MIME.\r\n${body}more\r\n--${boundary}\r\n`
  for (const piece of [1, 13, padded.length]) t.same(read(padded, piece), wanted)
})

t.test('a boundary may be quoted, and followed by white space', async (t) => {
  const spaced = body.replaceAll(`--${boundary}\r\n`, `--${boundary} \t\r\n`)
  t.same(read(spaced, 5, `multipart/form-data; boundary="${boundary}"`), wanted)
})

t.test('an empty part and one without a head are parts', async (t) => {
  t.same(read(`${part('a', '')}--${boundary}\r\n\r\nheadless\r\n${end}`, 3), [
    ['a', ''],
    ['', 'headless']
  ])
})

t.test('a body that is cut anywhere is refused', async (t) => {
  for (let length = 0; length < body.length - 2; length += 1) {
    t.ok(isRefused(body.slice(0, length), 50), `${length}`)
  }
})

t.test('a body that is malformed is refused', async (t) => {
  t.ok(isRefused(`--${boundary}garbage\r\n\r\n`, 9))
  t.ok(isRefused(`--${boundary}${' '.repeat(100)}\r\n\r\n`, 9))
  t.ok(isRefused(`--${boundary}\r\nX: ${'y'.repeat(5000)}\r\n\r\n${end}`, 900))
  t.ok(isRefused(`--${boundary}\r\nX: ${'y'.repeat(50_000)}`, 900))
})

t.test('the head of a part has up to 4096 bytes', async (t) => {
  const start = '\r\nContent-Disposition: form-data; name=a\r\nX: '
  const of = (length: number) => `--${boundary}${start}${'y'.repeat(length - start.length)}\r\n\r\nz\r\n${end}`
  for (const piece of [1, 900, 10_000]) {
    t.same(read(of(4096), piece), [['a', 'z']], `${piece}`)
    t.ok(isRefused(of(4097), piece), `${piece}`)
  }
})

t.test('a type without a boundary is refused', async (t) => {
  const taker = { begin: () => {}, add: () => {}, end: () => {} }
  for (const each of [
    'multipart/form-data',
    'multipart/mixed; boundary=a',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'x multipart/form-data; boundary=a',
    'text/plain'
  ])
    t.throws(() => new MultipartReader(each, taker), new MultipartFault('it names no boundary'), each)
  t.doesNotThrow(() => new MultipartReader(`Multipart/Form-Data ; Boundary=${'b'.repeat(70)}`, taker))
})
