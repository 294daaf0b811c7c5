import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { configuration } from '#data/configuration'
import { dnsHook } from '#runtime/service/acme/solvers.ts'

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
