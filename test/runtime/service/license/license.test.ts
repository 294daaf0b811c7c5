import t from 'tap'
import nacl from 'tweetnacl'
import type { Board, SigningKey } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { handlers } from '#generated'
import { licenseKey } from '#runtime/build/license-key.mjs'
import { Events } from '#runtime/service/events/events.ts'
import { Licenses } from '#runtime/service/license/expiry.ts'
import { readLicenseKey } from '#runtime/service/license/key.ts'
import { Store } from '#runtime/store/store.ts'
import { licenseKey as keyOfProgram } from '#test/host/authority.ts'
import { openFixture } from '#test/runtime/service.ts'

const simKey = sim.licenseKey as SigningKey
const encode = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')

/** A key with that payload and header, well signed. */
function signed(payload: string, header = '{"alg":"EdDSA"}'): string {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${encode(nacl.sign.detached(Buffer.from(text), pair.secretKey))}`
}

const pair = nacl.sign.keyPair()
const signer: SigningKey = { kty: 'OKP', crv: 'Ed25519', x: encode(pair.publicKey) }

t.test('a key of the program is read with its claims', async (t) => {
  const key = keyOfProgram('--class', 'Essentials', '--days', '2', '--serial', 'S1')
  const read = readLicenseKey(key, simKey)
  t.match(read, { key, class: 'Essentials', serial: 'S1', ended: false })
  t.equal((read?.expires ?? 0) - (read?.issued ?? 0), 2 * 86_400)
  t.match(readLicenseKey(keyOfProgram(), simKey), { class: 'Advanced', serial: null, expires: null })
  t.equal(readLicenseKey(key, undefined), undefined, 'a board without a key takes none')
  t.equal(readLicenseKey(key, signer), undefined)
})

t.test('a key with any character changed is refused', async (t) => {
  const key = signed(JSON.stringify({ jti: '1', class: 'Advanced', iat: 1_700_000_000 }))
  // Every part of it is met, and each step costs two signatures.
  for (let at = 0; at < key.length; at += 11) {
    const other = key[at] === 'A' ? 'B' : 'A'
    const changed = key.slice(0, at) + other + key.slice(at + 1)
    if (readLicenseKey(changed, signer) !== undefined) t.fail(`character ${at}`)
    if (readLicenseKey(key.slice(0, at), signer) !== undefined) t.fail(`${at} characters`)
  }
  const digits = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
  const good = digits.filter((last) => readLicenseKey(key.slice(0, -1) + last, signer) !== undefined)
  t.same(good, [key.at(-1)], 'not even the bits of the last one that mean nothing')
})

t.test('signed data that is not a license is refused', async (t) => {
  const good = { jti: '1', class: 'Advanced', iat: 1_700_000_000 }
  t.ok(readLicenseKey(signed(JSON.stringify(good)), signer))
  for (const change of [
    { class: 'Other' },
    { class: 'constructor' },
    { class: 7 },
    { jti: 1 },
    { jti: undefined },
    { iat: '1' },
    { iat: 1.5 },
    { exp: '9999999999' },
    { exp: 1e300 },
    { sub: 7 }
  ]) {
    const payload = JSON.stringify({ ...good, ...change })
    t.equal(readLicenseKey(signed(payload), signer), undefined, payload)
  }
  for (const change of [{ iat: 2 ** 43 - 1 }, { iat: 1 - 2 ** 43 }, { exp: 2 ** 43 - 1 }]) {
    const payload = JSON.stringify({ ...good, ...change })
    t.match(readLicenseKey(`\n ${signed(payload)}\n`, signer), {
      key: signed(payload),
      ...(change.iat && { issued: change.iat })
    })
  }
  for (const change of [{ iat: 2 ** 43 }, { iat: -(2 ** 43) }, { exp: 2 ** 43 }]) {
    const payload = JSON.stringify({ ...good, ...change })
    t.equal(readLicenseKey(signed(payload), signer), undefined, payload)
  }
  const right = signed(JSON.stringify(good))
  for (const other of [`${right}.AA`, `${right}AA`]) t.equal(readLicenseKey(other, signer), undefined)
  t.equal(readLicenseKey(right, { ...signer, x: `${signer.x}AA` }), undefined, 'nor is a longer key of the board a key')
  for (const payload of ['', 'null', '[]', '{', '"text"', '\u0000']) {
    t.equal(readLicenseKey(signed(payload), signer), undefined, payload)
  }
  for (const header of ['{"alg":"none"}', '{"alg":"EdDSA","crit":["x"]}', '{}']) {
    t.equal(readLicenseKey(signed(JSON.stringify(good), header), signer), undefined, header)
  }
})

t.test('the end of a license sends one event, also across a restart', async (t) => {
  const directory = `${t.testdir()}/store`
  let clock = Date.parse('2026-01-01T00:00:00Z')
  const open = async () => {
    const store = await Store.open(directory, { cache: 65_536, writeBuffer: 65_536, reserve: 0, checkpointEvery: 300 })
    const events = new Events(store, sim as unknown as Board, configuration, () => clock)
    const licenses = new Licenses(store, events, () => clock)
    const check = async () => {
      licenses.check()
      licenses.check()
      // Commits are made in their order: after this one, those are done.
      await store.commit({})
    }
    const told = () => store.keys('event').filter((id) => store.get('event', id)?.messageId.endsWith('LicenseExpired'))
    return { store, licenses, check, told }
  }
  const first = await open()
  const expires = clock / 1000 + 10
  const license = { key: '', class: 'Advanced' as const, id: '1', serial: null, issued: 0, expires, ended: false }
  await first.store.commit({ license: { 1: license } })
  clock += 9999
  await first.check()
  t.equal(first.told().length, 0)
  clock += 1
  await first.check()
  await first.check()
  t.equal(first.told().length, 1)
  t.match(first.store.get('event', first.told()[0] ?? ''), {
    args: ['Advanced'],
    origin: '/redfish/v1/Managers/1/LicenseService/1'
  })
  await first.store.close()
  const second = await open()
  await second.check()
  t.equal(second.told().length, 1)
  await second.store.commit({ license: { 1: { ...license, expires: clock / 1000 + 5 } } })
  clock += 6000
  await second.check()
  t.equal(second.told().length, 2, 'the next license ends, too')
  const { commit } = second.store
  const commits = t.capture(second.store, 'commit', commit)
  second.licenses.check()
  t.same(commits(), [], 'without a license that has just ended nothing is stored')
  await second.store.close()
})

t.test('an end of a license that cannot be stored is reported, and stored later', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const license = { key: '', class: 'Advanced', id: '1', serial: null, issued: 0, expires: 10, ended: false } as const
  await store.commit({ license: { 1: license } })
  const events = new Events(store, sim as unknown as Board, configuration, () => 10_000)
  const licenses = new Licenses(store, events, () => 10_000)
  const lines = t.capture(store.log, 'error', () => {})
  const { commit } = store
  store.commit = async () => {
    throw new Error('the disk is full')
  }
  licenses.check()
  await Promise.resolve()
  t.match(lines()[0]?.args, ['the end of a license was not stored', { manager: '1', cause: 'the disk is full' }])
  store.commit = commit
  licenses.check()
  await store.commit({})
  t.equal(store.get('license', '1')?.ended, true)
})

t.test(
  'a method that needs a license is refused without it, after the privileges and before the body are checked',
  async (t) => {
    const action = '/redfish/v1/Systems/1/Bios/Actions/Bios.ResetBios'
    const license = { POST: 'CertificateLogin' } as const
    const served = handlers.map((each) =>
      each.template.endsWith('/Bios.ResetBios') ? { ...each, module: { ...each.module, license } } : each
    )
    const service = await openFixture(undefined, undefined, undefined, served)
    t.teardown(() => service.close())
    const keyOf = (answer: { json: { error: { '@Message.ExtendedInfo': { MessageId: string }[] } } }) =>
      answer.json.error['@Message.ExtendedInfo'][0]?.MessageId.split('.').at(-1)
    const ask = async (headers?: Record<string, string>) => {
      const answer = await service.ask('POST', action, { Colour: 'red' }, headers)
      return [answer.status, keyOf(answer)]
    }
    t.same(await ask({}), [401, 'NoValidSession'])
    t.same(await ask(), [403, 'LicenseKeyRequired'])
    const iat = Math.floor(Date.now() / 1000)
    const key = licenseKey(sim.licenseKey, { jti: '1', class: 'Advanced', iat, exp: iat + 86_400 })
    t.equal((await service.ask('POST', '/redfish/v1/Managers/1/LicenseService/', { LicenseKey: key })).status, 200)
    t.same(await ask(), [400, 'ActionParameterUnknown'])
    service.sleep(2 * 86_400)
    t.same(await ask(), [403, 'LicenseKeyRequired'], 'it is over')
  }
)
