// own process: it starts what was built
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { isInstalled } from '#test/host/hosts.ts'
import { directory } from '#test/host/server.ts'
import { missingImage } from '#test/image/board.ts'
import { booted } from '#test/image/booted.ts'
import { missingMachine } from '#test/ovmf/machine.ts'
import { freePort } from './free-port.ts'
import { bash, blocks } from './pages.ts'

const missingFwupd = isInstalled('fwupdtool') ? undefined : 'fwupdtool: not here; install fwupd'

t.setTimeout(1_700_000)

needing(
  'the tour of the emulated controller works as printed',
  missingImage ?? missingMachine ?? missingFwupd,
  async (t) => {
    const [make = '', ...steps] = blocks('docs/tours/emulated-controller.md')
    const port = await freePort()
    const out = directory(t)
    const lines = await booted(t, make, port, { out: `${out}/ast2600-evb` })
    for (const shown of [/^kernel-a .* MiB$/, /^rofs-a .* MiB$/, /^besides the kernels .* MiB$/, /^U-Boot /]) {
      t.ok(
        lines.some((line) => shown.test(line)),
        `it shows ${shown}`
      )
    }
    const here = (step: string) =>
      step
        .replaceAll('localhost:8443', `127.0.0.1:${port}`)
        .replaceAll('npm run image --', 'node deploy/image/image.mjs')
        .replaceAll('dist/', `${out}/`)
    // The host that the steps leave running ends with their shell.
    const { status, printed } = await bash(`trap 'kill $(jobs -p)' EXIT\n${steps.map(here).join('')}`)
    t.equal(status, 0, printed)
    t.match(printed, /"Model":"AST2600-EVB"/)
    t.match(printed, /Base\.1\.12\.Success/)
    t.match(printed, /"HostName":"rack7"/)
    t.match(printed, /"Address":"10\.0\.2\.15","AddressOrigin":"Static"/)
    t.match(printed, /#{20}/, 'a progress bar')
    t.match(printed, /"PercentComplete":[1-9]\d?\n"TaskState":"Running/, 'how far the task is')
    t.match(printed, /"MessageId":"Update\.[\d.]+\.ActivateFailed"/)
    t.match(printed, /"LastState":"OSBootStarted"/)
    t.match(printed, /BdsDxe: starting BootFFF0 "UEFI shell"/, 'what the host says is in the ring')
    const versions = [...printed.matchAll(/"FirmwareVersion":"(.*?)"/g)].map(([, version]) => version)
    t.same(versions, ['2.0', '2.1', '2.1'], 'by curl, by fwupd, and again after the third')
    t.match(printed, /Writing…: +[1-9]\d?%/, 'the progress of fwupd')
  }
)
