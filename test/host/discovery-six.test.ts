import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { type Host, isInstalled } from './hosts.ts'
import { lackingNamespaces, namespaces } from './namespaces.ts'
import { Process } from './process.ts'
import { directory, start } from './server.ts'

const lacking = isInstalled('python3') ? lackingNamespaces : 'python3'
const skip = lacking !== undefined && process.env.CI !== 'true' && `it needs ${lacking}`
const [ssdp, mdns] = ['ff02::c', 'ff02::fb']
const service = 'urn:dmtf-org:service:redfish-rest:1'

onBothHosts(async (t, host) => {
  t.test('clients on each link find the service over IPv6, at an address that they can reach', { skip }, async (t) => {
    const { peer, minnow } = await machines(t, host)
    const alive = (address: string) => (text: string) =>
      text.includes('NTS: ssdp:alive') && text.includes(`AL: https://[${address}]:443/redfish/v1/\r\n`)
    const [near, far] = [await peer('peer', ssdp, 1900), await peer('peer1', ssdp, 1900)]
    const asks = await peer('peer', mdns, 5353)
    const process = await minnow()

    const first = await near.hears(alive('fe80::2'))
    t.ok(first.text.includes('HOST: [ff02::c]:1900\r\n'))
    t.same([first.from, first.hops], ['fe80::2', 2])
    t.equal((await near.hears(alive('fd00::2'))).from, 'fd00::2')
    t.equal((await far.hears(alive('fe80::3'))).from, 'fe80::3')
    t.notOk(far.heard.some(({ text }) => text.includes('fe80::2') || text.includes('fd00::2')))

    const search = `M-SEARCH * HTTP/1.1\r\nMAN: "ssdp:discover"\r\nMX: 0\r\nST: ${service}\r\n\r\n`
    const isAnswer = (text: string) => text.startsWith('HTTP/1.1 200 OK\r\n')
    const client = await peer('peer1', ssdp, 0)
    client.says(ssdp, 1900, search)
    const { text } = await client.hears(isAnswer)
    t.ok(text.includes('AL: https://[fe80::3]:443/redfish/v1/\r\n'))
    const other = await peer('peer', ssdp, 0)
    other.says('fd00::2', 1900, search)
    t.ok((await other.hears(isAnswer)).text.includes('AL: https://[fd00::2]:443/redfish/v1/\r\n'))

    const announced = await asks.hears(tells)
    t.equal(announced.hops, 255)
    for (const each of [[192, 0, 2, 2], six(0xfe80, 2), six(0xfd00, 2)])
      t.ok(announced.text.includes(record(each)), `it has ${each}`)
    t.notOk(announced.text.includes(record(six(0xfe80, 3))), 'those of another link are not told')
    const before = asks.heard.length
    asks.says(mdns, 5353, question('_redfish._tcp.local'))
    t.equal((await asks.hears((text) => tells(text) && additional(text) > 0, before)).hops, 255)
    const legacy = await peer('peer1', mdns, 0)
    legacy.says(mdns, 5353, question('_redfish._tcp.local'))
    const answer = await legacy.hears(tells)
    t.equal(answer.from, 'fe80::3', 'who asks from another port is answered alone')
    t.ok(answer.text.startsWith('\0\x07'))

    await process.kill('SIGTERM')
    for (const each of [near, far]) await each.hears((text) => text.includes('NTS: ssdp:byebye'))
  })
})

/** A board with two ports, and what is on the other ends of their cables. */
async function machines(t: Test, host: Host) {
  const { enter, start: begin, plug, within } = await namespaces(t)
  plug('peer1', 'eth1')
  const has = (side: 'board' | 'server', device: string, ...addresses: string[]) => {
    // Its own addresses would come some time after the link, and so would those that are looked for elsewhere first.
    enter(side, 'ip', 'link', 'set', device, 'down', 'addrgenmode', 'none')
    enter(side, 'ip', 'link', 'set', device, 'up')
    for (const address of addresses)
      enter(side, 'ip', 'address', 'add', address, 'dev', device, ...(address.includes(':') ? ['nodad'] : []))
  }
  has('board', 'eth0', '192.0.2.2/24', 'fe80::2/64', 'fd00::2/64')
  has('board', 'eth1', 'fe80::3/64')
  has('server', 'peer', '192.0.2.1/24', 'fe80::1/64', 'fd00::1/64')
  has('server', 'peer1', 'fe80::4/64')
  const data = directory(t)
  const outside = await start(t, host, { data })
  const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
  const on = { SSDP: { ProtocolEnabled: true }, Oem: { Vendor: { MulticastDNS: { ProtocolEnabled: true } } } }
  t.equal((await outside.patch(protocols, on)).status, 200)
  await outside.stop()
  return {
    /** A peer on a link. */
    async peer(device: string, group: string, port: number) {
      const child = begin('server', ['python3', 'test/host/fixtures/peer.py', device, group, String(port)])
      const heard: Heard[] = []
      const lines = createInterface({ input: child.stdout! }).on('line', (line) => heard.push(JSON.parse(line)))
      child.stderr?.pipe(process.stderr)
      await once(lines, 'line')
      heard.length = 0
      return {
        heard,
        says: (to: string, port: number, text: string) => child.stdin?.write(`${JSON.stringify([to, port, text])}\n`),
        /** The first message from the one with that number on that is as wanted. */
        async hears(isWanted: (text: string) => boolean, from = 0): Promise<Heard> {
          for (;;) {
            const found = heard.slice(from).find(({ text }) => isWanted(text))
            if (found !== undefined) return found
            await once(lines, 'line')
          }
        }
      }
    },
    /** Starts the service on the board. */
    async minnow(): Promise<Process> {
      const inside = { ...host, command: [...within.board, ...host.command] as unknown as Host['command'] }
      const started = new Process(inside, ['--port', '443', '--address', '::', '--data', data])
      t.teardown(() => started.kill('SIGKILL'))
      await started.ready()
      return started
    }
  }
}

interface Heard {
  readonly text: string
  readonly from: string
  readonly hops: number
}

/** Whether a message of DNS says where the service root is. */
const tells = (text: string) => text.includes('path=/redfish/v1/')

/** The records of an unsolicited DNS message: an announcement has no questions. */
const additional = (text: string) => text.charCodeAt(11)

/** A question of DNS for pointers, with the number 7. */
function question(name: string): string {
  const labels = name.split('.').map((each) => String.fromCharCode(each.length) + each)
  return `\0\x07\0\0\0\x01\0\0\0\0\0\0${labels.join('')}\0\0\x0c\0\x01`
}

/** The end of a record of DNS with an address. */
const record = (address: readonly number[]) => String.fromCharCode(0, address.length, ...address)

const six = (first: number, last: number) => [first >> 8, first & 255, ...Array<number>(13).fill(0), last]
