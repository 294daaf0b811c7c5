import { pathToFileURL } from 'node:url'
import t from 'tap'
import { freePort } from '#test/conformance/free-port.ts'
import { bash, blocks } from '#test/conformance/pages.ts'
import { needing } from '#test/host/every-host.ts'
import { directory, password } from '#test/host/server.ts'
import { missingFor } from './board.ts'
import { booted } from './booted.ts'

const { readBoard } = await import(pathToFileURL('deploy/image/boards.mjs').href)
const name = 'romulus-bmc'

t.setTimeout(1_500_000)

needing(
  'a board with an AST2500 boots a kernel that is built for it, and takes an update',
  missingFor(readBoard(name)),
  async (t) => {
    const port = await freePort()
    const lines = await booted(
      t,
      `MINNOW_ADMIN_PASSWORD='${password}' npm run image -- --board ${name} --version 1.0 --boot`,
      port
    )
    t.ok(
      lines.some((line) => /sha256,rsa2048:boot\+ OK/.test(line)),
      'the boot loader has verified the signature'
    )
    const out = directory(t)
    // The board has no system: the tour's second step is about one.
    const [, , network = '', update = ''] = blocks('docs/tours/emulated-controller.md')
    const chassis = 'curl -sk -u admin:Tour-of-5-minutes $B/Chassis/1/'
    const steps = [
      'B=https://localhost:8443/redfish/v1',
      `${chassis} -X PATCH -H 'Content-Type: application/json' -d '{"LocationIndicatorActive": true}'`,
      chassis,
      network,
      update
    ]
    const here = (step: string) =>
      step
        .replaceAll('localhost:8443', `127.0.0.1:${port}`)
        .replaceAll('Tour-of-5-minutes', password)
        .replaceAll('npm run image --', `node deploy/image/image.mjs --board ${name}`)
        .replaceAll('ast2600-evb', name)
        .replaceAll('dist/', `${out}/`)
    const { status, printed } = await bash(steps.map(here).join('\necho\n'))
    t.equal(status, 0, printed)
    t.match(printed, /"LocationIndicatorActive":true/, 'the lamp of the chassis is on')
    t.match(printed, /"HostName":"rack7"/)
    t.match(printed, /"Address":"10\.0\.2\.15","AddressOrigin":"Static"/)
    t.match(printed, /"FirmwareVersion":"2\.0"/, 'the other slot runs')
  }
)
