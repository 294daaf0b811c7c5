import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Nvram } from '#hal/nvram.ts'
import { type SignatureList, signatureListBytes, withSignature, x509Type } from '#hal/uefi/signature-list.ts'
import { globalGuid, secureBootEnable, secureBootVariables } from '#hal/uefi/variables.ts'
import { needing } from '#test/host/every-host.ts'
import {
  buildApplication,
  type Key,
  makeDisk,
  makeKey,
  missingApplication,
  missingSigning,
  sign
} from './application.ts'
import { type Boot, boot, missingMachine } from './machine.ts'
import { change, load, newStore } from './stores.ts'

t.setTimeout(1_700_000)

const { PK, KEK, db, dbx } = secureBootVariables
const owner = '4f1a6c1e-93d2-4b1f-8d5a-6f0d3c2b1a90'

function certificates(...keys: Key[]): Uint8Array {
  const signatures = keys.map(({ der }) => ({ type: x509Type, owner, data: readFileSync(der) }))
  return signatureListBytes(signatures.reduce<SignatureList[]>(withSignature, []))
}

/** The firmware's variables about its modes. */
function modes({ variables }: Boot): Record<string, number | undefined> {
  const names = ['SecureBoot', 'SetupMode']
  return Object.fromEntries(names.map((name) => [name, variables.get(`${globalGuid}/${name}`)?.data[0]]))
}

needing('secure boot with keys of ours', missingMachine ?? missingApplication ?? missingSigning, async (t) => {
  const directory = t.testdir({ signed: {}, unsigned: {}, forbidden: {} })
  const [platform, exchange, vendor, stranger] = ['platform', 'exchange', 'vendor', 'stranger'].map((name) =>
    makeKey(directory, name)
  ) as [Key, Key, Key, Key]
  const application = buildApplication(directory)
  const unsigned = makeDisk(`${directory}/unsigned`, application)
  const signed = makeDisk(`${directory}/signed`, sign(application, vendor))
  const foreign = makeDisk(`${directory}/forbidden`, sign(application, stranger))
  const machine = { directory, store: `${directory}/store.fd`, until: /Access Denied/ }
  const edit = (action: (nvram: Nvram) => Promise<void>) => change(load(machine.store), machine.store, action)

  await t.test('without a PK firmware is in setup mode and starts anything', async (t) => {
    await change(newStore('4M'), machine.store, (nvram) => nvram.set([{ ...secureBootEnable, data: Uint8Array.of(1) }]))
    const seen = await boot({ ...machine, disk: unsigned })
    t.equal(seen.report.at(-1), 'end')
    t.strictSame(modes(seen), { SecureBoot: 0, SetupMode: 1 })
  })

  await t.test('with PK, KEK and db it is on, and images signed by a key of db start', async (t) => {
    await edit((nvram) =>
      nvram.set([
        { ...db, data: certificates(vendor) },
        { ...KEK, data: certificates(exchange) },
        { ...PK, data: certificates(platform) }
      ])
    )
    const seen = await boot({ ...machine, disk: signed })
    t.equal(seen.report.at(-1), 'end')
    t.strictSame(modes(seen), { SecureBoot: 1, SetupMode: 0 })
    t.strictSame(seen.variables.get(`${db.guid}/db`)?.data, Buffer.from(certificates(vendor)))
  })

  await t.test('the firmware refuses an unsigned loader, and one with a foreign signature', async (t) => {
    for (const disk of [unsigned, foreign]) {
      const { report, console } = await boot({ ...machine, disk })
      t.match(console, /failed to load Boot.*Access Denied/)
      t.strictSame(report, [])
    }
  })

  await t.test('a key in dbx revokes one in db', async (t) => {
    await edit((nvram) => nvram.set([{ ...dbx, data: certificates(vendor), timestamp: new Date('2010-01-01') }]))
    t.match((await boot({ ...machine, disk: signed })).console, /Access Denied/)
    await edit((nvram) => nvram.set([{ ...dbx, data: null }]))
    t.equal((await boot({ ...machine, disk: signed })).report.at(-1), 'end')
  })

  await t.test('a second certificate is added to db', async (t) => {
    await edit((nvram) => nvram.set([{ ...db, data: certificates(vendor, stranger) }]))
    for (const disk of [foreign, signed]) t.equal((await boot({ ...machine, disk })).report.at(-1), 'end')
  })

  await t.test('without keys it is in setup mode again, even with secure boot still enabled', async (t) => {
    await edit((nvram) => nvram.set([PK, KEK, db, dbx].map((database) => ({ ...database, data: null }))))
    const seen = await boot({ ...machine, disk: unsigned })
    t.equal(seen.report.at(-1), 'end')
    t.strictSame(modes(seen), { SecureBoot: 0, SetupMode: 1 })
  })
})
