import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { writeMockup } from '#test/runtime/recording/mockups.ts'
import { recorded } from '#test/runtime/recording/recorded.ts'
import { open } from './open.ts'

const system = '/redfish/v1/Systems/System.Embedded.1'
const names = '/redfish/v1/Oem/Names'
const certificate = '/redfish/v1/Managers/CMC.Embedded.1/Oem/Certificates/Identity'

/** A recording whose maker derives names from the service tag and the serial number. */
function derived(folder: string): string {
  const { file } = recorded(writeMockup(folder, 'contoso'))
  Object.assign(file.resources[system], { SKU: 'CT0SO42' })
  Object.assign(file.resources[system].Oem.Contoso, { NodeID: 'CT0SO42', ExpressServiceCode: '27876244754' })
  file.resources[names] = {
    '@odata.id': names,
    ExpressServiceCode: 27_876_244_754,
    HostName: 'idrac-CT0SO42',
    Other: 'idrac-ct0so42.example.com',
    'SNMP.1.EngineID': '0x80001f880443543053' + '4f3432',
    Third: 'ILOCN7475167B0042',
    ChassisServiceTag: 'CT0SO41',
    Link: { '@odata.id': `${names}/CT0SO42` }
  }
  file.resources[certificate] = {
    '@odata.id': certificate,
    '@odata.type': '#Certificate.v1_5_0.Certificate',
    Subject: { CommonName: 'idrac-CT0SO42' },
    SerialNumber: '0A1B2C3D'
  }
  writeFileSync(`${folder}/derived.json`, JSON.stringify(file))
  return `${folder}/derived.json`
}

/** All that a controller says of itself. */
async function seen(t: Test, ask: Awaited<ReturnType<typeof open>>['ask'], number: number) {
  const get = async (path: string) => (await ask(number, 'GET', path)).json
  const [machine, other, root, signed] = [
    await get(system),
    await get(names),
    await get('/redfish/v1/'),
    await get(certificate)
  ]
  const tag = machine.SKU
  t.match(tag, /^[\dA-Z]{7}$/)
  t.equal(machine.Oem.Contoso.NodeID, tag)
  t.equal(root.Oem.Contoso.ServiceTag, tag)
  t.equal(machine.Oem.Contoso.ExpressServiceCode, String(Number.parseInt(tag, 36)))
  t.equal(other.ExpressServiceCode, Number.parseInt(tag, 36))
  t.equal(other.HostName, `idrac-${tag}`)
  t.equal(other.Other, `idrac-${tag.toLowerCase()}.example.com`)
  t.equal(other['SNMP.1.EngineID'].toLowerCase(), `0x80001f8804${Buffer.from(tag).toString('hex')}`)
  t.equal(other.Third, `ILO${machine.SerialNumber}`)
  t.equal(signed.Subject.CommonName, `idrac-${tag}`)
  t.equal(signed.SerialNumber, '0A1B2C3D', 'what is signed stays')
  t.equal(other.Link['@odata.id'], `${names}/CT0SO42`, 'links stay')
  return [tag, other.ChassisServiceTag, machine.SerialNumber]
}

t.test('the service tag of each controller is its own, and one in all its places', async (t) => {
  const directory = t.testdir()
  const groups = [{ count: 3, network: '127.20.0.0/16', board: derived(directory) }]
  const { ask } = await open(t, directory, 3, { groups })
  const all = [...(await seen(t, ask, 1)), ...(await seen(t, ask, 2)), ...(await seen(t, ask, 3)), 'CT0SO42', 'CT0SO41']
  t.equal(new Set(all).size, all.length, all.join(' '))
})
