import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { workFolder } from './dropIn.ts'
import { checkedMbedtls, fuzz, fuzzer, skip, timeout } from './fuzzers.ts'
import { localhost } from './undici-client.ts'

t.setTimeout(timeout)

/** Hellos of TLS, their key shares, and the messages and records that they come in. */
const parts = [
  ...['ssl_client', 'ssl_msg', 'ssl_tls', 'ssl_tls12_client', 'ssl_tls12_server'],
  ...['ssl_tls13_client', 'ssl_tls13_generic', 'ssl_tls13_keys', 'ssl_tls13_server']
]

t.test('for all hellos and key shares, both roles stay within their memory, and none is done', { skip }, async (t) => {
  const sources = [
    ...['records.c', 'pem.c', '../client/tls.c', '../primitives/mlkem768.c'],
    ...['tls.c', 'client_hello.c', 'client_certificate.c'].map((name) => `../https/${name}`)
  ]
  // As the binary is linked.
  const objects = ['-Wl,--wrap=mbedtls_x509_crt_verify_restartable', ...checkedMbedtls(parts)]
  const program = fuzzer('runtime/embedded/wire', 'handshake_fuzz', sources, [], objects)
  const folder = mkdtempSync(join(workFolder, 'handshake-'))
  const seeds = join(folder, 'fuzz/seeds')
  mkdirSync(seeds, { recursive: true })
  process.env.MINNOW_FUZZ_IDENTITY = join(folder, 'identity.pem')
  writeFileSync(process.env.MINNOW_FUZZ_IDENTITY, localhost.key + localhost.certificate)
  const { status, stderr } = spawnSync(program, [], {
    env: { ...process.env, MINNOW_FUZZ_SEEDS: seeds },
    encoding: 'utf8'
  })
  t.equal(status, 0, stderr)
  t.equal(fuzz(folder, program, 3000, 4096), '')
})
