import t from 'tap'
import { freePort } from '#test/conformance/free-port.ts'
import { bash } from '#test/conformance/pages.ts'
import { password } from '#test/host/server.ts'
import { booted } from './booted.ts'
import { inCampaign } from './campaign.ts'

const name = 'palmetto-bmc'

t.setTimeout(1_500_000)

inCampaign('a board with an AST2400, whose kernel the emulator starts, serves from its flash', async (t) => {
  const port = await freePort()
  await booted(t, `MINNOW_ADMIN_PASSWORD='${password}' npm run image -- --board ${name} --boot`, port)
  const curl = `curl -sk -u 'admin:${password}' https://127.0.0.1:${port}/redfish/v1`
  const { status, printed } = await bash(`
    ${curl}/Managers/1/EthernetInterfaces/1/
    ${curl}/Chassis/1/ -X PATCH -H 'Content-Type: application/json' -d '{"LocationIndicatorActive": true}'
    ${curl}/Chassis/1/
    until ${curl}/Chassis/1/Thermal/ | grep -o '"ReadingCelsius":31'; do :; done`)
  t.equal(status, 0, printed)
  t.match(printed, /"Address":"10\.0\.2\.15"/)
  t.match(printed, /"LocationIndicatorActive":true/, 'the lamp of the chassis is on')
  t.match(printed, /"ReadingCelsius":31/, 'what QEMU’s TMP423 measures')
})
