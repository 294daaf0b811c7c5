import t from 'tap'
import { readHead } from '#runtime/request/head.ts'

const read = (url: string, host = 'bmc') =>
  readHead({ method: 'GET', url, httpVersion: '1.1', rawHeaders: ['Host', host], socket: {} }, 1000)

t.test('a target in absolute form says which server is meant, whatever Host says', async (t) => {
  for (const [url, target, host] of [
    ['/redfish?x=https://other', '/redfish?x=https://other', 'bmc'],
    ['https://other:8443/redfish/v1/?$top=1', '/redfish/v1/?$top=1', 'other:8443'],
    ['HTTP://[::1]/redfish', '/redfish', '[::1]'],
    ['https://other', '/', 'other'],
    ['https://other?only', '/?only', 'other']
  ] as const) {
    t.match(read(url), { target, headers: { host } }, url)
  }
  for (const url of ['https:///redfish', 'https://user@other/redfish', 'https://a b/redfish'])
    t.equal(read(url), 400, url)
  t.equal(read('https://other/redfish', 'no host'), 400)
})
