// own process: it starts what was built
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { missingApplication, missingSigning } from '#test/ovmf/application.ts'
import { missingMachine } from '#test/ovmf/machine.ts'
import { start } from './builds.ts'
import { bash, blocks } from './pages.ts'

t.setTimeout(900_000)

const missing = missingMachine ?? missingApplication ?? missingSigning

needing('the tour from a BIOS setting to OVMF works as printed', missing, async (t) => {
  const [serve = '', login = ''] = blocks('README.md', 'A five-minute tour')
  const password = /MINNOW_ADMIN_PASSWORD='([^']+)' npm start/.exec(serve)?.[1] ?? ''
  const data = mkdtempSync(join(tmpdir(), 'minnow-'))
  const service = await start('dist', data, password)
  t.teardown(async () => {
    await service.stop()
    rmSync(data, { recursive: true })
  })
  const steps = [login, ...blocks('docs/tours/firmware.md'), 'rm -r "$D"']
  const { status, printed } = await bash(
    steps.join('').replaceAll('localhost:8443', `127.0.0.1:${service.port}`).replaceAll('minnow-data', data)
  )
  t.equal(status, 0, printed)
  t.equal(printed.match(/Base\.[\d.]+\.Created/g)?.length, 3, 'three keys were enrolled')
  t.match(printed, /"Attributes":\{"ServerName":"db7"\}/)
  for (const line of [
    /^PK\t.*\t1 EFI_CERT_X509_GUID$/m,
    /^SecureBootEnable\t.*\t01$/m,
    /^VendorBios(Current|Result)\t/m
  ]) {
    t.match(printed, line)
  }
  const [, signed = '', unsigned = ''] = printed.split(/loading Boot0001/)
  t.match(signed, 'Secure boot is on')
  t.notMatch(signed, 'Access Denied')
  t.match(unsigned, 'Access Denied')
  t.notMatch(unsigned, 'Secure boot is')
})
