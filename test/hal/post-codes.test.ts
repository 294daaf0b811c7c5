import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import type { Power } from '#hal/power.ts'
import { qemuMachines } from '#hal/qemu/machines.ts'
import { simPostCodes } from '#hal/sim/post-codes.ts'
import { simPower } from '#hal/sim/power.ts'
import { postCodesContract } from '#test/hal/contracts/post-codes.ts'
import { watch } from '#test/hal/contracts/power.ts'

const boots = (host: Power) => async () => {
  if (host.state !== 'Off') {
    const off = watch(host).next('Off')
    await host.perform('forceOff')
    await off
  }
  const on = watch(host).next('On')
  await host.perform('on')
  await on
}

postCodesContract(t, 'simulator', async (t) => {
  const host = simPower({ onTime: 0, offTime: 0, initial: 'Off' })
  t.teardown(() => host.close())
  return { port: simPostCodes({ host }), boot: boots(host) }
})

postCodesContract(t, 'QEMU', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'qemu-'))
  for (const file of ['code.fd', 'nvram.fd']) writeFileSync(join(directory, file), '')
  const warn = (text: string) => t.fail(text)
  const options = { name: 'host', directory, warn, qemu: resolve('test/hal/fixtures/qemu.mjs'), firmware: 'code.fd' }
  const machines = qemuMachines()
  const host = machines.power(options)
  const port = machines.postCodes({ name: 'postCodes-1', directory, machine: 'host' })
  t.teardown(async () => {
    const off = watch(host).next('Off')
    await host.perform('forceOff')
    await off
    await host.close()
    rmSync(directory, { recursive: true })
  })
  return { port, boot: boots(host) }
})

t.test('simulator: firmware that finds nothing to boot ends with another code', async (t) => {
  const host = simPower({ onTime: 0, offTime: 0, initial: 'Off', faults: { unbootable: true } })
  t.teardown(() => host.close())
  const port = simPostCodes({ host })
  let last = 0
  port.on((codes) => {
    last = codes.at(-1) ?? 0
  })
  await boots(host)()
  t.equal(last, 0xd8)
  delete host.faults.unbootable
  await boots(host)()
  t.equal(last, 0xad)
})
