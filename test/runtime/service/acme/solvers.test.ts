import { createHash, X509Certificate } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { configuration } from '#data/configuration'
import { fileCerts } from '#hal/file/certs.ts'
import { dnsHook, tlsAlpn } from '#runtime/service/acme/solvers.ts'
import { Identity, type Pair } from '#runtime/service/certificates/identity.ts'
import { Secrets } from '#runtime/store/secrets.ts'

t.test('a program adds the record of a proof and removes it, and its last words say why it fails', async (t) => {
  const folder = t.testdir()
  const [program, calls] = [join(folder, 'hook'), join(folder, 'calls')]
  const does = (...lines: string[]) => {
    writeFileSync(program, ['#!/bin/sh', `echo "$*" >> ${calls}`, ...lines, ''].join('\n'))
    chmodSync(program, 0o700)
  }
  const solver = (dnsHookTime = 60) => dnsHook({ ...configuration.enrollment, dnsHook: program, dnsHookTime })
  const failure = (words: string) => ({ message: `the program for records of DNS fails: ${words}` })
  const record = `_acme-challenge.bmc ${createHash('sha256').update('proof').digest('base64url')}`
  does()
  const one = solver()
  await one.withdraw()
  await one.present('bmc', 'proof')
  await one.withdraw()
  await one.withdraw()
  t.equal(readFileSync(calls, 'utf8'), `add ${record}\nremove ${record}\n`)
  does('echo asking >&2', 'echo "no such zöne" >&2', 'exit 1')
  await t.rejects(one.present('bmc', 'proof'), failure('no such z?ne'))
  does('exit 1')
  await t.rejects(one.withdraw(), { message: /fails: Command failed: \// })
  does('exec sleep 60')
  await t.rejects(solver(0.1).present('bmc', 'proof'), failure('it takes longer than 0.1 s'))
})

t.test('the certificate of a challenge is shown until the proof is over, also for a long name', async (t) => {
  const folder = t.testdir()
  const now = new Date()
  const identity = await Identity.open(fileCerts(`${folder}/tls`), Secrets.open(`${folder}/keys`, false), now, false)
  const shown: (Pair | undefined)[] = []
  t.teardown(identity.onChallenge((pair) => shown.push(pair)))
  const solver = tlsAlpn(identity, now)
  const name = `${'a'.repeat(60)}.example.net`
  await solver.present(name, 'proof')
  const { subject, subjectAltName, raw } = new X509Certificate(shown[0]!.cert)
  t.same([subject, subjectAltName], [`CN=${name.slice(0, 64)}`, `DNS:${name}`])
  t.ok(raw.includes(createHash('sha256').update('proof').digest()))
  await solver.withdraw()
  t.same(shown.slice(1), [undefined])
})
