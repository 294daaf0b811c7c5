import { randomBytes, X509Certificate } from 'node:crypto'
import t from 'tap'
import { certificateFrom } from '#data/certificates'
import type { License } from '#data/license'
import { pem } from '#runtime/base/pem.ts'
import { ClientCertificates } from '#runtime/service/certificates/client.ts'
import { Store } from '#runtime/store/store.ts'
import { Authority } from '#test/host/authority.ts'

const day = 86_400_000
const options = { cache: 65_536, writeBuffer: 65_536, reserve: 0, checkpointEvery: 300 }
const account = { name: 'operator', role: 'Operator', enabled: true }
const license: License = { key: '', class: 'Advanced', id: '1', serial: null, issued: 0, expires: null, ended: false }

const bytesOf = (text: string) => certificateFrom(text)

/** The records with which an operator logs in with a certificate of an authority. */
const writes = (mapped: Uint8Array, trusted: string) => ({
  account: { operator: account },
  certificateLogin: { 1: { enabled: true } },
  license: { 1: license },
  userCertificate: { operator: { pem: pem('CERTIFICATE', mapped) } },
  trustedCertificate: { ca: { pem: trusted } }
})

t.test('a verdict lasts as long as its certificates, to the second', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, options)
  t.teardown(() => store.close())
  let clock = Date.now()
  const certificates = new ClientCertificates(store, () => clock)
  const authority = new Authority(t, 'Users')
  const own = bytesOf(authority.issue({ from: -2, until: 5 }).cert)
  await store.commit({
    account: { operator: account },
    userCertificate: { operator: { pem: pem('CERTIFICATE', own) } },
    trustedCertificate: { ca: { pem: authority.cert } },
    license: { 1: license }
  })
  t.notOk(certificates.enabled)
  t.equal(certificates.holder(own)?.user, undefined, 'it is not enabled')
  let switched = 0
  certificates.onSwitched(() => {
    switched += 1
  })
  await store.commit({ certificateLogin: { 1: { enabled: true } } })
  t.ok(certificates.enabled)
  t.ok(switched > 0)

  const { validFrom, validTo } = new X509Certificate(authority.cert)
  const from = Math.max(Date.parse(new X509Certificate(own).validFrom), Date.parse(validFrom))
  const until = Math.min(Date.parse(new X509Certificate(own).validTo), Date.parse(validTo))
  for (const [time, user] of [
    [from, 'operator'],
    [from - 1, undefined],
    [until + 999, 'operator'],
    [until + 1000, undefined],
    [until, 'operator']
  ] as const) {
    clock = time
    t.equal(certificates.holder(own)?.user, user, new Date(time).toISOString())
  }
  clock = Date.now()
  const expires = Math.floor(clock / 1000) + 60
  await store.commit({ license: { 1: { expires } } })
  t.equal(certificates.holder(own)?.user, 'operator')
  clock = expires * 1000 - 1
  t.equal(certificates.holder(own)?.user, 'operator')
  clock += 1
  t.equal(certificates.holder(own)?.user, undefined, 'the license is over')
})

t.test('a certificate is judged by all of its bytes and by its signature', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, options)
  t.teardown(() => store.close())
  const certificates = new ClientCertificates(store, Date.now)
  const [authority, twin] = [new Authority(t, 'Users'), new Authority(t, 'Users')]
  const own = bytesOf(authority.issue().cert)
  const forged = own.slice()
  forged[forged.length - 1]! ^= 1
  await store.commit(writes(own, authority.cert))
  t.equal(certificates.holder(own)?.user, 'operator')
  t.equal(certificates.holder(forged)?.user, undefined, 'one bit of the signature differs')
  const other = bytesOf(authority.issue().cert)
  const causes = t.capture(store.log, 'debug', () => {})
  t.equal(certificates.holder(other)?.user, undefined, 'another of the same authority and name is not mapped')
  t.match(causes()[0]?.args[1], { cause: 'it is not mapped to a user' })
  await store.commit(writes(forged, authority.cert))
  t.equal(certificates.holder(forged)?.user, undefined, 'and it is worth nothing when that is mapped')
  await store.commit(writes(own, twin.cert))
  t.equal(certificates.holder(own.slice())?.user, undefined, 'an authority of the same name is another one')
  await store.commit({ ...writes(own, twin.cert), trustedCertificate: { also: { pem: authority.cert } } })
  t.equal(certificates.holder(own)?.user, 'operator', 'the right one of two of the same name is found')
  for (const garbage of [new Uint8Array(), new Uint8Array(randomBytes(40))]) {
    await store.commit(writes(garbage, authority.cert))
    t.equal(certificates.holder(garbage)?.user, undefined)
  }
})

t.test('an authority is trusted only while it is valid and may sign', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, options)
  t.teardown(() => store.close())
  let clock = Date.now()
  const certificates = new ClientCertificates(store, () => clock)
  for (const [extensions, user] of [
    [['basicConstraints=critical,CA:TRUE'], 'operator'],
    [['basicConstraints=critical,CA:TRUE', 'keyUsage=digitalSignature'], undefined],
    [['basicConstraints=critical,CA:FALSE', 'keyUsage=keyCertSign'], undefined],
    [['basicConstraints=critical,CA:TRUE', '1.2.3.4=critical,ASN1:NULL'], undefined]
  ] as const) {
    const authority = new Authority(t, 'Users', extensions)
    const own = bytesOf(authority.issue({ until: 90 }).cert)
    await store.commit(writes(own, authority.cert))
    clock = Date.now()
    t.equal(certificates.holder(own)?.user, user, extensions.join(', '))
    clock += 31 * day
    t.equal(certificates.holder(own)?.user, undefined, 'the authority has expired')
  }
})

t.test('the log says at the level debug why a certificate is refused', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, options)
  t.teardown(() => store.close())
  const causes = t.capture(store.log, 'debug', () => {})
  const authority = new Authority(t, 'Users')
  const good = authority.issue().cert
  const other = new Authority(t, 'Others').cert
  const noSigner = new Authority(t, 'Users', ['basicConstraints=critical,CA:FALSE']).cert
  const uses = (...extensions: string[]) => authority.issue({ extensions }).cert
  const signs = 'keyUsage=digitalSignature'
  for (const [cert, change, cause] of [
    [good, {}, undefined],
    [good, { certificateLogin: { 1: { enabled: false } } }, 'login with certificates is disabled'],
    [good, { account: { operator: { enabled: false } } }, 'the account operator cannot log in'],
    [good, { license: { 1: null } }, 'there is no license for it'],
    [good, { license: { 1: { expires: 1 } } }, 'there is no license for it'],
    [good, { trustedCertificate: { ca: { pem: other } } }, 'no authority that was imported issued it'],
    [good, { trustedCertificate: { ca: null } }, 'no authority that was imported issued it'],
    [good, { trustedCertificate: { ca: { pem: noSigner } } }, 'its authority may not sign certificates'],
    [uses(signs), {}, undefined],
    [uses('keyUsage=keyAgreement'), {}, 'its key is not for signatures'],
    [uses(signs, 'extendedKeyUsage=serverAuth'), {}, 'it is not for clients'],
    [uses('1.2.3.4=critical,ASN1:NULL'), {}, 'the certificate has a critical extension that is not understood'],
    [authority.issue({ from: 2, until: 5 }).cert, {}, 'the certificate is not valid yet'],
    [authority.issue({ from: -5, until: -2 }).cert, {}, 'the certificate has expired']
  ] as const) {
    const own = bytesOf(cert)
    await store.commit(writes(own, authority.cert))
    await store.commit(change as Parameters<typeof store.commit>[0])
    const holder = new ClientCertificates(store, Date.now).holder(own)
    t.equal(holder?.user, cause === undefined ? 'operator' : undefined, cause ?? 'it is good')
    t.same(
      causes().map(({ args }) => args),
      cause === undefined ? [] : [['a client certificate was refused', { cause }]]
    )
  }
})

t.test('a defect is an error of the request, and not a certificate that is refused', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, options)
  t.teardown(() => store.close())
  const certificates = new ClientCertificates(store, Date.now)
  const own = bytesOf(new Authority(t, 'Users').issue().cert)
  await store.commit(writes(own, 1 as unknown as string))
  t.throws(() => certificates.holder(own), TypeError)
})
