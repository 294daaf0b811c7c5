import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Secrets } from '#runtime/store/secrets.ts'

const directory = () => {
  const made = mkdtempSync(join(tmpdir(), 'secrets-'))
  t.teardown(() => rmSync(made, { recursive: true }))
  return join(made, 'keys')
}

t.test('what is sealed is opened again, also by the next process', async (t) => {
  const keys = directory()
  const sealed = Secrets.open(keys).seal('Bearer grün')
  t.equal(Secrets.open(keys).open(sealed), 'Bearer grün')
})

t.test('what is sealed shows nothing, and looks different each time', async (t) => {
  const secrets = Secrets.open(directory())
  const [one, two] = [secrets.seal('password'), secrets.seal('password')]
  t.not(one, two)
  t.match(one, /^[0-9a-f]+$/)
  t.notMatch(one, Buffer.from('password').toString('hex'))
})

t.test('what was changed, cut, or sealed with another key is not opened', async (t) => {
  const secrets = Secrets.open(directory())
  const sealed = secrets.seal('password')
  const last = sealed.endsWith('0') ? '1' : '0'
  for (const other of [`${sealed.slice(0, -1)}${last}`, sealed.slice(0, 60), sealed.slice(0, 10), '']) {
    t.equal(secrets.open(other), undefined, other)
  }
  t.equal(Secrets.open(directory()).open(sealed), undefined)
})

t.test('the key is its owner’s alone, and one that is cut is no key', async (t) => {
  const keys = directory()
  Secrets.open(keys)
  const file = join(keys, 'secrets.key')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(keys).mode & 0o777, 0o700)
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20))
  t.throws(() => Secrets.open(keys), { message: `${file} holds no key` })
})
