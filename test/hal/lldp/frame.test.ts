import t from 'tap'
import { lldpFrame, readLldpFrame } from '#hal/lldp/frame.ts'
import type { LldpInformation } from '#hal/ports.ts'

const full: LldpInformation = {
  chassisId: { kind: 'mac', value: '8C:12:C2:0A:41:50' },
  portId: { kind: 'interfaceName', value: 'ge-0/0/17' },
  ttl: 120,
  portDescription: 'To the controller',
  systemName: 'leaf1.example.net',
  systemDescription: 'A switch “näher”',
  capabilities: { able: ['bridge', 'router'], enabled: ['bridge'] },
  managementAddresses: [
    { family: 'IPv4', address: '192.0.2.1' },
    { family: 'IPv6', address: '2001:db8::1' },
    { family: 'MAC', address: '8C:12:C2:0A:41:51' }
  ]
}
const { chassisId, portId, ttl } = full
const frame = lldpFrame('8C:12:C2:0A:41:50', full)
const head = '0180c200000e8c12c20a415088cc'
/** A frame of elements, in hex: type, value. */
const made = (...elements: (readonly [type: number, value: string])[]) =>
  Buffer.from(
    head +
      elements
        .map(([type, value]) => ((type << 9) | (value.length / 2)).toString(16).padStart(4, '0') + value)
        .join(''),
    'hex'
  )
const chassis = [1, '048c12c20a4150'] as const
const port = [2, '0567652d302f302f3137'] as const
const valid = [3, '0078'] as const
const end = [0, ''] as const

t.test('a frame has the values given, and goes to the nearest bridge', async (t) => {
  t.same(readLldpFrame(frame), full)
  t.equal(Buffer.from(frame.subarray(0, 23)).toString('hex'), `${head}0207048c12c20a4150`)
  t.same(readLldpFrame(made(chassis, port, valid, end)), { chassisId, portId, ttl, managementAddresses: [] })
  const padded = Buffer.concat([made(chassis, port, valid, end), Buffer.alloc(20, 0xff)])
  t.match(readLldpFrame(padded), { ttl }, 'what follows the end is padding')
})

t.test('a text that is too long is cut off between its characters', async (t) => {
  const long = readLldpFrame(lldpFrame('8C:12:C2:0A:41:50', { ...full, systemName: 'ä'.repeat(200) }))
  t.equal(long?.systemName, 'ä'.repeat(127))
})

t.test('each kind of name is read, and bytes that are no text are hex', async (t) => {
  for (const [id, kind, value] of [
    ['0161', 'chassisComponent', 'a'],
    ['0261', 'interfaceAlias', 'a'],
    ['0361', 'portComponent', 'a'],
    ['05' + '01c0000201', 'network', '192.0.2.1'],
    ['05' + '0220010db8000000000000000000000001', 'network', '2001:db8::1'],
    ['05' + '7fabcd', 'network', '7fabcd'],
    ['0661', 'interfaceName', 'a'],
    ['0761', 'local', 'a'],
    ['0700', 'local', ''],
    ['07c3', 'local', 'c3'],
    ['07411b5b', 'local', '411b5b']
  ] as const)
    t.same(readLldpFrame(made([1, id], port, valid, end))?.chassisId, { kind, value }, id)
  t.same(readLldpFrame(made(chassis, [2, '0661'], valid, end))?.portId, { kind: 'agentCircuit', value: 'a' })
  t.same(readLldpFrame(made(chassis, [2, '038c12c20a4150'], valid, end))?.portId, chassisId)
})

t.test('a frame without its mandatory elements, once and in order, is discarded', async (t) => {
  for (const elements of [
    [],
    [end],
    [chassis],
    [chassis, port],
    [chassis, port, end],
    [port, chassis, valid, end],
    [chassis, valid, port, end],
    [chassis, port, valid, chassis, end],
    [chassis, port, valid, port, end],
    [chassis, port, valid, valid, end],
    [[5, '61'], chassis, port, valid, end],
    [[1, ''], port, valid, end],
    [[1, '04'], port, valid, end],
    [[1, '048c12c20a41'], port, valid, end],
    [[1, '0061'], port, valid, end],
    [[1, '0861'], port, valid, end],
    [[1, `07${'61'.repeat(256)}`], port, valid, end],
    [chassis, port, [3, '78'], end]
  ] as const)
    t.equal(readLldpFrame(made(...elements)), undefined, JSON.stringify(elements))
  t.equal(readLldpFrame(Buffer.concat([frame.subarray(0, 12), Uint8Array.of(8, 0), frame.subarray(14)])), undefined)
  t.equal(readLldpFrame(Buffer.concat([frame.subarray(0, -2), Buffer.alloc(1500)])), undefined, 'too long')
})

t.test('an optional element that is malformed is ignored alone', async (t) => {
  const told = (...elements: (readonly [number, string])[]) =>
    readLldpFrame(made(chassis, port, valid, [5, '61'], ...elements, end))
  const plain = { chassisId, portId, ttl, systemName: 'a', managementAddresses: [] }
  for (const element of [
    [4, '61'.repeat(256)],
    [5, '62'],
    [7, '0004'],
    [8, ''],
    [8, '0501c0000201'],
    [8, '0101010000000000'],
    [8, '0401c00002010000000000'],
    [8, 'ff01c0000201010000000000'],
    [9, '61'],
    [127, '0080c2010001']
  ] as const)
    t.same(told(element), plain, JSON.stringify(element))
  t.equal(
    told(...Array.from({ length: 30 }, () => [8, '0501c0000201010000000000'] as const))?.managementAddresses.length,
    8
  )
})

t.test('frames of every length, and of any bytes, are read or discarded', async (t) => {
  for (let length = 0; length < frame.length; length++) {
    const read = readLldpFrame(frame.subarray(0, length))
    if (read !== undefined) t.match(read, { chassisId, portId, ttl })
  }
  // A generator of its own, so that a failure can be repeated.
  let seed = 20_260_411
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed % below
  }
  let read = 0
  for (let count = 0; count < 30_000; count++) {
    const mutant = Uint8Array.from(frame)
    for (let change = random(6); change >= 0; change--) mutant[14 + random(mutant.length - 14)] = random(256)
    const information = readLldpFrame(mutant.subarray(0, 14 + random(mutant.length)))
    if (information === undefined) continue
    read++
    if (information.managementAddresses.length > 8 || JSON.stringify(information).length > 5000) t.fail('too much')
  }
  t.ok(read > 100 && read < 29_900, `${read} of them are valid`)
})
