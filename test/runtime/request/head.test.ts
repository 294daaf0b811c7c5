import t from 'tap'
import { accepts, acceptsGzip, checkContentType, readHead, readRefused, split } from '#runtime/request/head.ts'
import { faults } from './faults.ts'

const read = (url: string, host = 'bmc') =>
  readHead({ method: 'GET', url, httpVersion: '1.1', rawHeaders: ['Host', host], socket: {} }, 1000)

t.test('a target in absolute form takes precedence over Host', async (t) => {
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

t.test('header fields may repeat, as a list, unless they may come only once', async (t) => {
  const head = (...rawHeaders: string[]) =>
    readHead(
      { method: 'GET', url: '/', httpVersion: '1.1', rawHeaders: ['Host', 'bmc', ...rawHeaders], socket: {} },
      99
    )
  t.match(head('X-One', '1', 'x-one', '2'), { headers: { host: 'bmc', 'x-one': '1, 2' } })
  for (const name of ['Host', 'Authorization', 'Content-Type', 'X-Auth-Token', 'If-None-Match'])
    t.equal(head(name, '1', name.toLowerCase(), '1'), 400, name)
})

t.test('a head has a limited number of bytes, and a known version', async (t) => {
  const sent = 'GET /redfish HTTP/1.1\r\nHost: bmc\r\nAccept: x\r\n\r\n'
  const parsed = { method: 'GET', url: '/redfish', rawHeaders: ['Host', 'bmc', 'Accept', 'x'], socket: {} }
  const counted = sent.length - 1 // without the space after the method
  t.match(readHead({ ...parsed, httpVersion: '1.1' }, counted), { target: '/redfish' })
  t.equal(readHead({ ...parsed, httpVersion: '1.1' }, counted - 1), 431)
  t.equal(readHead({ ...parsed, httpVersion: '2.0' }, 1000), 505)
  const without = { ...parsed, rawHeaders: [] }
  t.match(readHead({ ...without, httpVersion: '1.0' }, 1000), { target: '/redfish' })
  t.equal(readHead({ ...without, httpVersion: '1.1' }, 1000), 400, 'Host is missing')
})

t.test('a head whose method the parser refuses is read from its bytes', async (t) => {
  const read = (text: string, limit = 1000) => readRefused(Buffer.from(text), {}, limit)
  const sent = 'BREW /redfish HTTP/1.1\r\nHost: bmc\r\nX-A:  b \r\n\r\nmore'
  t.match(read(sent), { method: 'BREW', target: '/redfish', headers: { host: 'bmc', 'x-a': 'b' } })
  const whole = sent.length - 'more'.length
  t.equal(read(sent, whole - 1), undefined)
  for (const bad of ['GET / HTTP/1.1', 'BREW / HTTP/1.1\r\nno field', 'BREW / HTTP/1.2', 'BREW /'])
    t.equal(read(`${bad}\r\nHost: bmc\r\n\r\n`), undefined, bad)
})

t.test('a target is a path, in which slashes count once, and a query', async (t) => {
  for (const [target, path, query] of [
    ['/a//b///c', '/a/b/c', undefined],
    ['/a?', '/a', ''],
    ['/a?x//y?z', '/a', 'x//y?z'],
    ['?x', '', 'x']
  ] as const)
    t.same(split(target), { path, search: query }, target)
})

t.test('the most specific range that names a media type decides whether a client takes it', async (t) => {
  for (const [header, taken] of [
    [undefined, true],
    ['*/*', true],
    ['application/json', true],
    ['Application/*', true],
    ['text/html', false],
    ['text/html, application/json;q=0.5', true],
    ['application/json;q=0', false],
    ['*/*, application/json; q=0', false],
    ['application/json;q=0, */*', false],
    ['application/*;q=0, */*;q=1', false],
    ['*/*;q=0, application/*', true]
  ] as const)
    t.equal(accepts(header, 'application/json'), taken, String(header))
})

t.test('gzip is sent to a client that says that it takes it', async (t) => {
  for (const [header, taken] of [
    [undefined, false],
    ['', false],
    ['br', false],
    ['gzip', true],
    ['br, X-GZIP;q=0.1', true],
    ['*', true],
    ['gzip ; q=0, *', false],
    ['*;q=0', false],
    ['*;q=0, gzip', true]
  ] as const)
    t.equal(acceptsGzip(header), taken, String(header))
})

t.test('a body is JSON in UTF-8, and has a type when a browser sends it', async (t) => {
  const body = { 'content-length': '2' }
  for (const [headers, status] of [
    [{ 'content-type': 'text/plain' }, undefined],
    [{ 'content-length': '0', 'content-type': 'text/plain' }, undefined],
    [{ ...body, 'content-type': 'text/plain' }, 415],
    [{ 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }, 415],
    [{ ...body, 'content-type': 'Application/JSON; charset="UTF-8"' }, undefined],
    [{ ...body, 'content-type': 'application/json;charset=latin1' }, 415],
    [body, undefined],
    [{ ...body, origin: 'https://other' }, 415]
  ] as const) {
    const outcome = faults(() => checkContentType(headers))
    t.match(outcome, status === undefined ? { returned: undefined } : [status], JSON.stringify(headers))
  }
})
