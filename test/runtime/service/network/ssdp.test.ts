import t from 'tap'
import { answer, notification, readSearch } from '#runtime/service/network/ssdp.ts'

const uuid = '0b5a7c1e-5d2f-4f6a-9c3e-2f1d0a9b8c7d'
const service = { uuid, url: 'https://192.0.2.16:443/redfish/v1/', interval: 600 }
const group = '239.255.255.250:1900'
const type = 'urn:dmtf-org:service:redfish-rest:1'
const search = (target: string, ...fields: string[]) =>
  new TextEncoder().encode(
    ['M-SEARCH * HTTP/1.1', `HOST: ${group}`, 'Man: "ssdp:discover"', `St:${target}`, ...fields, '', ''].join('\r\n')
  )
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).split('\r\n')

t.test('who searches for all, for Redfish or for this service is answered, in the time that it gives', async (t) => {
  for (const target of ['ssdp:all', type, `${type}:0`, `${type}:17`, `uuid:${uuid.toUpperCase()}`])
    t.equal(readSearch(search(target, 'MX: 2'), uuid), 2, target)
  t.equal(readSearch(search(type), uuid), 0, 'one that is sent to this machine alone')
  t.equal(readSearch(search(type, ': 1', 'MX: 6'), uuid), 5)
  t.equal(readSearch(search(type, 'MX: 5'), uuid), 5)
  t.equal(readSearch(search(type, 'MX: 4'), uuid), 4)
  t.equal(readSearch(search(type, 'MX: 86400'), uuid), 5, 'and in five seconds at most')
})

t.test('who searches for something else, or says nothing that can be read, is not', async (t) => {
  for (const target of ['upnp:rootdevice', `${type}:18`, `${type}0`, `${type}:`, '', `uuid:${uuid.slice(1)}`])
    t.equal(readSearch(search(target, 'MX: 2'), uuid), undefined, target)
  t.equal(readSearch(search(type, 'MX: soon'), uuid), undefined)
  const rest = 1024 - search('ssdp:all', 'X: ').length
  t.equal(readSearch(search('ssdp:all', `X: ${'x'.repeat(rest)}`), uuid), 0)
  t.equal(readSearch(search('ssdp:all', `X: ${'x'.repeat(rest + 1)}`), uuid), undefined, 'too long')
  t.equal(readSearch(notification(service, group, false), uuid), undefined, 'its own words')
  for (const fields of [`ST: ${type}`, 'MAN: "ssdp:discover"', `MAN: "ssdp:discover"\r\n:ST: ${type}`])
    t.equal(readSearch(new TextEncoder().encode(`M-SEARCH * HTTP/1.1\r\n${fields}\r\n\r\n`), uuid), undefined, fields)
})

t.test('the answer has the URI of the service root and the UUID', async (t) => {
  t.strictSame(text(answer(service)), [
    'HTTP/1.1 200 OK',
    'EXT:',
    'CACHE-CONTROL: max-age=1800',
    `ST: ${type}:17`,
    `USN: uuid:${uuid}::${type}:17`,
    'AL: https://192.0.2.16:443/redfish/v1/',
    '',
    ''
  ])
  t.ok(text(answer({ ...service, interval: 3600 })).includes('CACHE-CONTROL: max-age=7200'))
})

t.test('an announcement has the same content, a byebye only the UUID', async (t) => {
  t.strictSame(text(notification(service, group, false)), [
    'NOTIFY * HTTP/1.1',
    `HOST: ${group}`,
    `NT: ${type}:17`,
    'NTS: ssdp:alive',
    'CACHE-CONTROL: max-age=1800',
    `USN: uuid:${uuid}::${type}:17`,
    'AL: https://192.0.2.16:443/redfish/v1/',
    '',
    ''
  ])
  const goodbye = text(notification(service, group, true))
  t.ok(goodbye.includes('NTS: ssdp:byebye'))
  t.notOk(goodbye.some((line) => line.startsWith('AL:')))
})
