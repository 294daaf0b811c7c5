import t from 'tap'
import { freePort } from '#test/conformance/free-port.ts'
import { bash } from '#test/conformance/pages.ts'
import { password } from '#test/host/server.ts'
import { booted } from './booted.ts'
import { inCampaign } from './campaign.ts'

t.setTimeout(1_700_000)

for (const [board, model, difference] of [
  ['bletchley-bmc', 'Bletchley', 'another flash and another port'],
  ['fuji-bmc', 'Fuji', 'its console at another serial line, and no lamp']
] as const) {
  inCampaign(`a board without a host, with ${difference}, is emulated as well`, async (t) => {
    const port = await freePort()
    await booted(t, `MINNOW_ADMIN_PASSWORD='${password}' npm run image -- --board ${board} --boot`, port)
    const curl = `curl -sk -u 'admin:${password}' https://127.0.0.1:${port}/redfish/v1`
    const { status, printed } = await bash(`
      ${curl}/Systems/
      ${curl}/Managers/1/EthernetInterfaces/1/
      ${curl}/Chassis/1/ -X PATCH -H 'Content-Type: application/json' -d '{"LocationIndicatorActive": true}'
      ${curl}/Chassis/1/
      ${curl}/UpdateService/FirmwareInventory/`)
    t.equal(status, 0, printed)
    t.match(printed, /"Members@odata.count":0/, 'there is no system')
    t.match(printed, /"Address":"10\.0\.2\.15"/)
    t.match(printed, new RegExp(`"Model":"${model}"`))
    t.match(printed, /"LocationIndicatorActive":true/, 'the lamp is on, or its state is remembered')
    t.match(printed, /FirmwareInventory\/Manager-1-B/, 'there are two slots')
  })
}
