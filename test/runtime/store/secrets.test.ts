import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Secrets } from '#runtime/store/secrets.ts'

const directory = () => {
  const made = mkdtempSync(join(tmpdir(), 'secrets-'))
  t.teardown(() => rmSync(made, { recursive: true }))
  return join(made, 'keys')
}

t.test('a sealed secret can be opened, also by the next process', async (t) => {
  const keys = directory()
  const sealed = Secrets.open(keys, false).seal('Bearer grün')
  t.equal(Secrets.open(keys, false).open(sealed), 'Bearer grün')
})

t.test('a sealed secret does not contain the text, and differs each time', async (t) => {
  const secrets = Secrets.open(directory(), false)
  const [one, two] = [secrets.seal('password'), secrets.seal('password')]
  t.not(one, two)
  t.match(one, /^[0-9a-f]+$/)
  t.notMatch(one, Buffer.from('password').toString('hex'))
})

t.test('a sealed text that was changed, cut, or sealed with another key cannot be opened', async (t) => {
  const secrets = Secrets.open(directory(), false)
  const sealed = secrets.seal('password')
  const last = sealed.endsWith('0') ? '1' : '0'
  for (const other of [`${sealed.slice(0, -1)}${last}`, sealed.slice(0, 60), sealed.slice(0, 10), '']) {
    t.equal(secrets.open(other), undefined, other)
  }
  t.equal(Secrets.open(directory(), false).open(sealed), undefined)
})

t.test('the key is its owner’s alone', async (t) => {
  const keys = directory()
  Secrets.open(keys, false)
  for (const name of ['secrets.key', 'secrets.key.copy']) t.equal(statSync(join(keys, name)).mode & 0o777, 0o600)
  t.equal(statSync(keys).mode & 0o777, 0o700)
})

t.test('a damaged or missing key is restored from its copy', async (t) => {
  const keys = directory()
  const sealed = Secrets.open(keys, false).seal('a secret')
  const file = join(keys, 'secrets.key')
  const whole = readFileSync(file, 'utf8')
  // Another digit is a key as well, but for the line that vouches for it.
  const other = `${whole[0] === '0' ? '1' : '0'}${whole.slice(1)}`
  for (const damage of [
    () => writeFileSync(file, whole.slice(0, 20)),
    () => writeFileSync(file, other),
    () => rmSync(file)
  ]) {
    damage()
    const secrets = Secrets.open(keys, false)
    t.equal(secrets.open(sealed), 'a secret')
    t.match(secrets.loss, { source: 'Copy', cause: new RegExp(file) })
    t.equal(readFileSync(file, 'utf8'), whole)
  }
  t.equal(Secrets.open(keys, false).loss, undefined)
})

t.test('without any whole key there is a new one, and it is said', async (t) => {
  const keys = directory()
  const sealed = Secrets.open(keys, false).seal('a secret')
  for (const name of ['secrets.key', 'secrets.key.copy']) writeFileSync(join(keys, name), 'x')
  const secrets = Secrets.open(keys, false)
  t.match(secrets.loss, { source: 'New' })
  t.equal(secrets.open(sealed), undefined)
  t.equal(secrets.open(secrets.seal('another')), 'another')
  t.equal(Secrets.open(keys, false).loss, undefined)
})

t.test('a missing key is a loss, except at a first start', async (t) => {
  const keys = directory()
  t.match(Secrets.open(keys, true).loss, { cause: /secrets\.key is not there/, source: 'New' })
  t.equal(Secrets.open(keys, true).loss, undefined)
})

t.test('a key from before, without a line that vouches for it, is taken over', async (t) => {
  const keys = directory()
  const key = 'ab'.repeat(32)
  mkdirSync(keys)
  writeFileSync(join(keys, 'secrets.key'), `${key}\n`)
  const first = Secrets.open(keys, false)
  t.equal(first.loss, undefined)
  t.equal(Secrets.open(keys, false).open(first.seal('a secret')), 'a secret')
})
