import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { type Configuration, configuration } from '#data/configuration'
import { updateFile } from '#runtime/build/update-file.mjs'
import { type Caller, MessageError, type Privilege, type UploadForm } from '#runtime/contract'
import { Uploads } from '#runtime/service/updates/uploads.ts'
import { debugLines } from '#test/runtime/log.ts'

const image = { board: 'sim', component: 'controller', version: '1.63' }
const file = updateFile(sim.updateKey, image, { kernel: new Uint8Array(300).fill(1) })

const caller = (account: string, ...privileges: Privilege[]): Caller => ({
  ...{ account, user: account, role: '', address: '192.0.2.1', passwordChangeRequired: false },
  privileges: new Set(privileges)
})
const ann = caller('ann', 'LoginPriv', 'MgmtConfigPriv')

/** The folder of updates, and the uploads of a controller; they are named 1, 2 and so on. */
function open(t: Test, settings: Partial<Configuration['updates']> = {}) {
  const data = t.testdir()
  let last = 0
  const uploads = new Uploads(
    { ...configuration.updates, ...settings },
    sim as unknown as Board,
    false,
    data,
    (bytes) => {
      last += 1
      return `${bytes}${last}`
    }
  )
  const begin = (sender = ann, contentType = 'application/octet-stream', form: UploadForm = 'file') => {
    const upload = uploads.begin(form, contentType, sender)
    t.teardown(() => upload.release())
    return upload
  }
  return { uploads, begin, files: () => (existsSync(uploads.directory) ? readdirSync(uploads.directory) : []) }
}

/** The status and the first message that something fails with; what is no `MessageError` fails the test. */
function refusal(work: () => unknown): string {
  try {
    work()
    return 'taken'
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return `${error.status} ${error.messages[0]?.key}`
  }
}

/** Does something while the disk has no room for more bytes. */
function withoutRoom<Result>(work: () => Result): Result {
  const { writeSync } = fs
  fs.writeSync = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
  try {
    return work()
  } finally {
    fs.writeSync = writeSync
    syncBuiltinESMExports()
  }
}

/** Two parts of a form. */
const form = (parameters: string, content: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="UpdateParameters"\r\n\r\n${parameters}\r\n`),
    Buffer.from('--b\r\nContent-Disposition: form-data; name="UpdateFile"\r\n\r\n'),
    content,
    Buffer.from('\r\n--b--\r\n')
  ])

t.test('an idle upload gives way to the same account, and to one with more privileges', async (t) => {
  for (const [title, sender, expected] of [
    ['the same account, with fewer privileges', caller('ann', 'LoginPriv'), 'taken'],
    ['the same privileges', caller('bob', 'LoginPriv', 'MgmtConfigPriv'), '503'],
    ['fewer', caller('bob', 'LoginPriv'), '503'],
    ['others', caller('bob', 'LoginPriv', 'UserConfigPriv', 'VirtualMediaPriv'), '503'],
    ['those and one more', caller('bob', 'LoginPriv', 'MgmtConfigPriv', 'UserConfigPriv'), 'taken']
  ] as const) {
    const { begin } = open(t, { idle: 0 })
    const before = begin()
    const reasons: unknown[] = []
    before.onRefused((reason) => reasons.push(reason))
    t.match(
      refusal(() => begin(sender)),
      expected,
      title
    )
    t.match(reasons, expected === 'taken' ? [{ status: 503 }] : [], `${title}: the one before`)
  }
})

t.test('an upload is idle `updates.idle` seconds after its last bytes, until all of it has come', async (t) => {
  let now = 1000
  t.capture(performance, 'now', () => now)
  const { begin } = open(t, { idle: 5 })
  const upload = begin()
  now += 4999
  t.equal(refusal(begin), '503 Base.ServiceTemporarilyUnavailable')
  upload.add(file.subarray(0, 1))
  now += 4999
  t.match(refusal(begin), '503')
  now += 1
  const second = begin()
  second.add(file)
  second.end()
  now += 3_600_000
  t.match(refusal(begin), '503', 'it is being answered')
  second.release()
  t.equal(refusal(begin), 'taken')
})

t.test('the place of an upload is free after its release; one that was replaced frees no other', async (t) => {
  const { begin } = open(t, { idle: 0 })
  const first = begin()
  const second = begin()
  first.release()
  t.match(
    refusal(() => begin(caller('bob'))),
    '503'
  )
  second.release()
  t.equal(
    refusal(() => begin(caller('bob'))),
    'taken'
  )
})

t.test('an upload slower than `updates.slowest` over a period is refused', async (t) => {
  const periods: (number | undefined)[] = []
  let pass = () => {}
  const timer = setInterval(() => {}, 2 ** 30)
  t.teardown(() => clearInterval(timer))
  t.capture(globalThis, 'setInterval', (tick: () => void, period?: number) => {
    periods.push(period)
    pass = tick
    return timer
  })
  const { begin } = open(t, { slowest: 10, period: 3 })
  const upload = begin()
  const reasons: unknown[] = []
  upload.onRefused((reason) => reasons.push(reason))
  upload.add(file.subarray(0, 20))
  upload.add(file.subarray(20, 30))
  pass()
  t.same([periods, reasons], [[3000], []])
  upload.add(file.subarray(30, 59))
  pass()
  t.match(reasons, [{ status: 408, messages: [{ key: 'Mgmt.RequestTimeout' }] }])
})

t.test('a file is kept for its update, and removed without one', async (t) => {
  for (const isKept of [true, false]) {
    const { uploads, begin, files } = open(t)
    const upload = begin()
    t.same(files(), [], 'before the first byte')
    for (let at = 0; at < file.length; at += 100) upload.add(file.subarray(at, at + 100))
    t.same(files(), ['81.update'])
    upload.end()
    if (isKept) upload.keep()
    upload.release()
    t.match(upload.manifest, image)
    t.same(files(), isKept ? ['81.update'] : [])
    if (!isKept) continue
    t.same(readFileSync(uploads.file(upload.id)), Buffer.from(file))
    t.equal(statSync(uploads.file(upload.id)).mode & 0o777, 0o600)
    t.equal(statSync(uploads.directory).mode & 0o777, 0o700)
  }
})

t.test('an upload that is refused leaves no file', async (t) => {
  const { begin, files } = open(t, { idle: 0 })
  begin().add(file.subarray(0, 200))
  begin()
  t.same(files(), [])
})

t.test('an upload for which there is no room is refused, and the next one is taken once there is', async (t) => {
  const lines = debugLines(t)
  const { begin, files } = open(t)
  const upload = begin()
  upload.add(file.subarray(0, 200))
  t.equal(
    withoutRoom(() => refusal(() => upload.add(file.subarray(200)))),
    '507 Base.InsufficientStorage'
  )
  t.match(lines(), [{ level: 'warning', message: 'there is no room for an update file', cause: /no space left/ }])
  upload.release()
  t.same(files(), [])
  const next = begin()
  next.add(file)
  next.end()
  t.match(next.manifest, image)
})

t.test('a start removes all but the files of updates that have not ended', async (t) => {
  const { uploads, files } = open(t)
  uploads.open(() => true)
  mkdirSync(`${uploads.directory}/folder`, { recursive: true })
  for (const name of ['1a.update', '2b.update', '1a.update.part', 'x1a.update', 'note'])
    writeFileSync(`${uploads.directory}/${name}`, '')
  uploads.open((id) => id === '1a')
  t.same(files(), ['1a.update'])
})

t.test('a file that another program removes meanwhile does not end a start', async (t) => {
  const { uploads, files } = open(t)
  mkdirSync(uploads.directory)
  for (const name of ['1a.update', '2b.update']) writeFileSync(`${uploads.directory}/${name}`, '')
  uploads.open((id) => {
    if (id === '1a') rmSync(uploads.file(id))
    return false
  })
  t.same(files(), [])
})

t.test('the files are in the data directory, or where the configuration says', async (t) => {
  const { uploads } = open(t, { directory: '/var/updates' })
  t.equal(uploads.file('1a'), '/var/updates/1a.update')
  t.match(open(t).uploads.file('1a'), /\/updates\/1a\.update$/)
})

t.test('an upload may be as long as its file, and its parameters 16 KiB', async (t) => {
  const exact = open(t, { size: file.length, time: 7 })
  t.same(exact.uploads.limits, { size: file.length + 16_384, time: 7000 })
  const multipart = (parameters: string, content: Uint8Array = file) => {
    const upload = exact.begin(ann, 'multipart/form-data; boundary=b', 'multipart')
    const body = form(parameters, content)
    const refused = refusal(() => {
      for (let at = 0; at < body.length; at += 999) upload.add(body.subarray(at, at + 999))
      upload.end()
    })
    const { length } = upload.bytes
    upload.release()
    return [refused, length]
  }
  t.same(multipart('{}'), ['taken', 2])
  t.same(multipart('x'.repeat(16_384)), ['taken', 16_384])
  t.equal(multipart('x'.repeat(16_385))[0], '413 Base.PayloadTooLarge')
  t.equal(multipart('{}', Buffer.concat([file, Buffer.from('x')]))[0], '413 Base.PayloadTooLarge')
  t.equal(multipart('{}', file.subarray(0, -1))[0], '400 Mgmt.UpdateFileRefused')
  const plain = exact.begin()
  t.equal(
    refusal(() => plain.add(Buffer.concat([file, Buffer.from('x')]))),
    '413 Base.PayloadTooLarge'
  )
})

t.test('a body has the content type of its form', async (t) => {
  const { begin, files } = open(t)
  for (const [contentType, kind, expected] of [
    ['application/octet-stream', 'file', 'taken'],
    ['Application/Octet-Stream ; x=y', 'file', 'taken'],
    ['', 'file', 'taken'],
    ['application/octet-streams', 'file', '415 Mgmt.UnsupportedMediaType'],
    ['x/application/octet-stream', 'file', '415 Mgmt.UnsupportedMediaType'],
    ['multipart/form-data; boundary=b', 'file', '415 Mgmt.UnsupportedMediaType'],
    ['multipart/form-data; boundary=b', 'multipart', 'taken'],
    ['application/octet-stream', 'multipart', '415 Mgmt.UnsupportedMediaType']
  ] as const) {
    t.equal(
      refusal(() => begin(ann, contentType, kind).release()),
      expected,
      `${kind}: ${contentType}`
    )
  }
  t.same(files(), [])
})
