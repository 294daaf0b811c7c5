// needs: python3-gi
// own process: it runs for minutes in the campaign of fuzzers

import { spawnSync } from 'node:child_process'
import t from 'tap'
import { Frames } from '#hal/dbus/frames.ts'
import { type Header, readBody, readHeader, writeMessage } from '#hal/dbus/message.ts'
import type { Value } from '#hal/dbus/values.ts'
import { HalError } from '#hal/errors.ts'
import { bytes, hex } from '#runtime/base/bytes.ts'
import { random, seed } from '#test/campaign.ts'
import { randomValues, shown } from './random-values.ts'

const seconds = Number(process.env.MINNOW_FUZZ_SECONDS ?? 0)
const timeout = 300_000 + 2000 * seconds
t.setTimeout(timeout)

const chance = random(seed)
const next = randomValues(chance, false)
const headers: readonly Header[] = [
  { kind: 'call', serial: 1, isUnanswered: true, path: '/a', member: 'Get', interface: 'a.b', destination: ':1.7' },
  {
    kind: 'signal',
    serial: 7,
    isUnanswered: false,
    path: '/xyz/a_1',
    interface: 'a.b.C',
    member: 'Added',
    sender: 'a.b'
  },
  { kind: 'return', serial: 0xffffffff, isUnanswered: true, answers: 9, sender: ':1.0' },
  { kind: 'error', serial: 2, isUnanswered: false, answers: 1, error: 'a.b.Failed' }
]

/** The messages in some bytes: header and values as text. */
function read(data: Uint8Array): string[] {
  const messages: string[] = []
  new Frames().push(data, ({ head, body }) => {
    const header = readHeader(head)
    if (header === undefined || body === undefined) return
    const { signature = '', ...rest } = header
    const values = readBody(header, head[0] as number, body)
    messages.push(JSON.stringify({ signature, ...rest }, Object.keys({ signature, ...rest }).sort()) + shown(values))
  })
  return messages
}

/** The messages, or undefined if they are refused as they are to be. */
function readOrRefused(data: Uint8Array): string[] | undefined {
  try {
    return read(data)
  } catch (error) {
    if (error instanceof HalError && error.code === 'EIO') return undefined
    throw error
  }
}

const made = () => {
  const { signature, values } = next()
  const header = headers[Math.floor(chance() * headers.length)] as Header
  const { isUnanswered, ...rest } = header
  const text = JSON.stringify({ signature, ...header }, Object.keys({ signature, isUnanswered, ...rest }).sort())
  return { message: writeMessage({ ...header, signature }, values), text: text + shown(values as readonly Value[]) }
}

/** Messages as GLib writes them; undefined for those that it refuses. */
function byGlib(messages: readonly Uint8Array[]): (string[] | undefined)[] {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['test/hal/dbus/fixtures/messages.py'], {
    input: messages.map((message) => `${hex(message)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28
  })
  if (status !== 0) throw new Error(stderr)
  const lines = stdout.trimEnd().split('\n')
  return lines.map((line) => (line.startsWith('refused') ? undefined : line.split(' ')))
}

/** Does it for a number of times, in the campaign for a time. */
function repeatedly(times: number, body: () => void) {
  const end = performance.now() + (seconds / 3) * 1000
  for (let at = 0; at < times || performance.now() < end; at++) body()
}

t.test('what is written is read again, also from GLib in either byte order', { timeout }, async (t) => {
  repeatedly(4, () => {
    const all = Array.from({ length: 500 }, made)
    const wrong = all.filter(({ message, text }) => read(message).join() !== text)
    t.same(wrong, [])
    for (const [at, written] of byGlib(all.map(({ message }) => message)).entries()) {
      const read_ = written?.map((each) => read(bytes(each)).join())
      const { text } = all[at] as (typeof all)[number]
      if (read_?.length !== 2 || read_.some((each) => each !== text)) t.same(read_, [text, text])
    }
  })
})

t.test('a message that is cut anywhere is waited for, and never read', { timeout }, async (t) => {
  repeatedly(60, () => {
    const { message } = made()
    for (let length = 0; length < message.length; length++) {
      const cut = readOrRefused(message.subarray(0, length))
      if (cut?.length !== 0) t.same(cut, [], hex(message.subarray(0, length)))
    }
  })
  t.pass()
})

t.test('changed bytes end in an error or another message, which GLib reads as well', { timeout }, async (t) => {
  repeatedly(2, () => {
    const accepted: Uint8Array[] = []
    for (let at = 0; at < 5000; at++) {
      const { message } = made()
      for (let changes = Math.ceil(chance() * 3); changes > 0; changes--) {
        const place = Math.floor(chance() * message.length)
        message[place] = chance() < 0.5 ? chance() * 256 : (message[place] as number) ^ (1 << (chance() * 8))
      }
      if (readOrRefused(message)?.length === 1) accepted.push(message)
    }
    t.ok(accepted.length > 100)
    for (const [at, written] of byGlib(accepted).entries())
      if (written === undefined) t.fail(`GLib refuses ${hex(accepted[at] as Uint8Array)}`)
  })
})
